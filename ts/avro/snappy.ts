/**
 * Decompresses a raw snappy block (google/snappy, format_description.txt). Throws a RangeError if the bytes are not one, or if it would
 * give more than `limit` bytes.
 */
export function snappyDecompress(input: Uint8Array, limit: number): Uint8Array {
  let pos = 0
  const next = () => {
    if (pos >= input.length) throw new RangeError('snappy: the input ends too early')
    return input[pos++]!
  }
  const little = (count: number) => {
    let value = 0
    for (let i = 0; i < count; i++) value += next() * 256 ** i
    return value
  }

  let size = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = next()
    size += (byte & 0x7f) * scale
    if (byte < 0x80) break
    if (scale === 128 ** 4) throw new RangeError('snappy: the length has too many bytes')
  }
  // 64 bytes for three is the most that the format can give.
  if (size > limit || size > input.length * 22) throw new RangeError(`snappy: a length of ${size} bytes`)

  const output = new Uint8Array(size)
  let done = 0
  while (pos < input.length) {
    const tag = next()
    if ((tag & 3) === 0) {
      const short = tag >> 2
      const length = (short < 60 ? short : little(short - 59)) + 1
      if (length > input.length - pos || length > size - done) throw new RangeError('snappy: a literal is too long')
      output.set(input.subarray(pos, pos + length), done)
      pos += length
      done += length
      continue
    }
    let length: number
    let offset: number
    if ((tag & 3) === 1) {
      length = ((tag >> 2) & 7) + 4
      offset = ((tag >> 5) << 8) | next()
    } else {
      length = (tag >> 2) + 1
      offset = little((tag & 3) === 2 ? 2 : 4)
    }
    if (offset === 0 || offset > done || length > size - done) throw new RangeError('snappy: a copy out of range')
    if (offset >= length) output.copyWithin(done, done - offset, done - offset + length)
    // An overlapping copy repeats what it has just written.
    else for (let i = 0; i < length; i++) output[done + i] = output[done + i - offset]!
    done += length
  }
  if (done !== size) throw new RangeError(`snappy: ${done} bytes where ${size} were announced`)
  return output
}
