// Exact sums of integer and decimal columns of a batch, so that peers can be held to the same rows.

/** The sum of each of the named columns; nulls count as nothing. Decimals are summed unscaled. */
export function sumsOf(batch, names) {
  return names.map((name) => {
    let sum = 0n
    for (const data of batch.getChild(name).data) {
      const valid = (i) =>
        data.nullCount === 0 || (data.nullBitmap[(data.offset + i) >> 3] >> ((data.offset + i) & 7)) & 1
      const words = data.values.length / data.length
      for (let i = 0; i < data.length; i++) {
        if (!valid(i)) continue
        // A decimal of up to 18 digits lies in the lower two of its four words.
        sum +=
          words === 4
            ? BigInt.asIntN(64, (BigInt(data.values[4 * i + 1]) << 32n) | BigInt(data.values[4 * i]))
            : BigInt(data.values[i])
      }
    }
    return sum
  })
}
