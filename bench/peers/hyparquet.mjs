// icebird over hyparquet (the JavaScript reader) behind the line protocol of the bench.

import { fstatSync, openSync, readSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { parquetRead } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

/** A file as hyparquet's AsyncBuffer. */
function file(path) {
  const fd = openSync(path, 'r')
  const { size } = fstatSync(fd)
  return {
    byteLength: size,
    slice(start, end = size) {
      const from = start < 0 ? size + start : start
      const bytes = Buffer.alloc(end - from)
      readSync(fd, bytes, 0, bytes.length, from)
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    },
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  try {
    const start = performance.now()
    let check = 0
    // A full read takes minutes: one file is read, and the figure is scaled by the caller.
    await parquetRead({ file: file(request.files[0]), compressors, onComplete: (rows) => (check += rows.length) })
    console.log(JSON.stringify({ ms: performance.now() - start, check, peak: process.resourceUsage().maxRSS * 1024 }))
  } catch (error) {
    console.log(JSON.stringify({ error: String(error?.message ?? error).slice(0, 300) }))
  }
}
