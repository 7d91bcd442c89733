package lakefold.interop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Random choices, the same for the same seed. */
final class Dice {
  final Random random;

  Dice(long seed) {
    random = new Random(seed * 0x9E3779B97F4A7C15L);
  }

  /** From 0 to below `bound`. */
  int below(int bound) {
    return random.nextInt(bound);
  }

  /** From `low` to `high`, both included. */
  int between(int low, int high) {
    return low + below(high - low + 1);
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  @SafeVarargs
  final <T> T of(T... choices) {
    return choices[below(choices.length)];
  }

  <T> T of(List<T> choices) {
    return choices.get(below(choices.size()));
  }

  /** `count` of them at most, in random order. */
  <T> List<T> some(List<T> all, int count) {
    List<T> copy = new ArrayList<>(all);
    Collections.shuffle(copy, random);
    return copy.subList(0, Math.min(count, copy.size()));
  }
}
