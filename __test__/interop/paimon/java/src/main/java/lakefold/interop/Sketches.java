package lakefold.interop;

import org.apache.paimon.utils.HllSketchUtil;
import org.apache.paimon.utils.RoaringBitmap32;
import org.apache.paimon.utils.RoaringBitmap64;
import org.apache.paimon.utils.ThetaSketch;

/** Random bitmaps and sketches, as the functions that merge them expect them. */
final class Sketches {
  private final Dice dice;

  Sketches(Dice dice) {
    this.dice = dice;
  }

  /** Null for a function that takes other values. */
  byte[] of(String function) {
    try {
      return switch (function) {
        case "rbm32" -> {
          RoaringBitmap32 bitmap = new RoaringBitmap32();
          for (int value : numbers()) bitmap.add(value);
          yield bitmap.serialize();
        }
        case "rbm64" -> {
          RoaringBitmap64 bitmap = new RoaringBitmap64();
          for (int value : numbers()) bitmap.add(dice.chance(0.3) ? value + ((long) dice.between(0, 60) << dice.of(16, 32, 40)) : value);
          yield bitmap.serialize();
        }
        // A union of eight numbers and more holds them in the order of a hash table, which another may give otherwise.
        case "hll_sketch" -> HllSketchUtil.sketchOf(dice.below(6));
        case "theta_sketch" -> ThetaSketch.sketchOf(numbers());
        default -> null;
      };
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private int[] numbers() {
    int[] numbers = new int[dice.of(0, 1, 3, 10, 100, 100, 3000)];
    int start = dice.below(5000);
    boolean dense = dice.chance(0.5);
    for (int i = 0; i < numbers.length; i++) numbers[i] = dense ? start + i : dice.below(1_000_000);
    return numbers;
  }
}
