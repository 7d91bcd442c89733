package lakefold.interop;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import org.apache.iceberg.variants.ShreddedObject;
import org.apache.iceberg.variants.ValueArray;
import org.apache.iceberg.variants.Variant;
import org.apache.iceberg.variants.VariantMetadata;
import org.apache.iceberg.variants.VariantValue;
import org.apache.iceberg.variants.Variants;

/** Random variants: objects, lists and values without parts. */
final class RandomVariant {
  private static final String[] NAMES = {"a", "b", "long name", "é", "9", "B"};

  private final Dice dice;
  private final VariantMetadata metadata;

  private RandomVariant(Dice dice) {
    this.dice = dice;
    this.metadata = dice.chance(0.1) ? Variants.emptyMetadata() : Variants.metadata(NAMES);
  }

  static Variant of(Dice dice) {
    RandomVariant random = new RandomVariant(dice);
    return Variant.of(random.metadata, random.value(dice.of(0, 1, 1, 2, 3)));
  }

  private VariantValue value(int depth) {
    if (depth == 0) return leaf();
    if (dice.chance(0.3) || metadata.dictionarySize() == 0) {
      ValueArray array = Variants.array();
      for (int i = dice.of(0, 1, 3); i > 0; i--) array.add(value(depth - 1));
      return array;
    }
    ShreddedObject object = Variants.object(metadata);
    for (String name : NAMES) if (dice.chance(0.4)) object.put(name, value(depth - 1));
    return object;
  }

  private VariantValue leaf() {
    return switch (dice.below(13)) {
      case 0 -> Variants.ofNull();
      case 1 -> Variants.of(dice.chance(0.5));
      case 2 -> Variants.of((byte) dice.between(-128, 127));
      case 3 -> Variants.of((short) dice.random.nextInt());
      case 4 -> Variants.of(dice.random.nextInt());
      case 5 -> Variants.of(dice.random.nextLong());
      case 6 -> Variants.of(dice.of(0.5, -1e300, dice.random.nextGaussian(), 1e-9));
      case 7 -> Variants.of(dice.of(0.5f, -3e30f, dice.random.nextFloat()));
      case 8 -> Variants.of(new BigDecimal(new BigInteger(dice.of(20, 50, 100), dice.random), dice.between(0, 6)));
      case 9 -> Variants.ofDate((int) dice.random.nextInt(60_000) - 20_000);
      case 10 -> dice.chance(0.5) ? Variants.ofTimestamptz(dice.random.nextLong() % 4_000_000_000_000_000L) : Variants.ofTimestampntz(dice.random.nextLong() % 4_000_000_000_000_000L);
      case 11 -> Variants.of(ByteBuffer.wrap(dice.of("", "bytes", "\u0000é").getBytes(java.nio.charset.StandardCharsets.UTF_8)));
      default -> Variants.of(dice.of("", "a", "short", "é😀", "x".repeat(63), "x".repeat(64), "x".repeat(300)));
    };
  }
}
