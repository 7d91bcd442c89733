import { gunzipSync } from 'node:zlib'
import { LakefoldError } from './errors.js'

/** A text file may not unpack to more. */
const MAX_BYTES = 512 * 1024 * 1024

/** The text of a file of UTF-8, plain or gzip (told by its bytes); CORRUPT_FILE or LIMIT_EXCEEDED naming `file`. */
export function decodeText(bytes: Uint8Array, file: string): string {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzip(bytes, file) : bytes
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(plain)
  } catch (cause) {
    throw new LakefoldError('CORRUPT_FILE', `${file} is not UTF-8 text`, { context: { file }, cause })
  }
}

function gunzip(bytes: Uint8Array, file: string): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new LakefoldError('LIMIT_EXCEEDED', `${file} unpacks to more than ${MAX_BYTES} bytes`, {
        context: { file, limit: MAX_BYTES },
        cause,
      })
    }
    throw new LakefoldError('CORRUPT_FILE', `${file} cannot be unpacked as gzip: ${(cause as Error).message}`, {
      context: { file },
      cause,
    })
  }
}
