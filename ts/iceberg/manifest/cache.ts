import type { LoadedManifest } from './loaded.js'

export type { LoadedEntry, LoadedManifest } from './loaded.js'

const DEFAULT_MAX_BYTES = 128 * 1024 * 1024

/**
 * Keeps manifests that have been read, the latest used first, within an estimate of their memory. One cache may serve several tables
 * and scans at once; with and without it the results are the same.
 */
export class ManifestCache {
  readonly maxBytes: number
  #bytes = 0
  /** In the order of use, the oldest first. */
  readonly #loaded = new Map<string, { readonly manifest: LoadedManifest; readonly bytes: number }>()

  /** @param options.maxBytes estimated bytes to keep at most, 128 MiB by default. */
  constructor(options: { maxBytes?: number } = {}) {
    this.maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES
  }

  /** Estimated bytes that are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** Number of manifests that are kept. */
  get size(): number {
    return this.#loaded.size
  }

  get(key: string): LoadedManifest | undefined {
    const entry = this.#loaded.get(key)
    if (entry === undefined) return undefined
    this.#loaded.delete(key)
    this.#loaded.set(key, entry)
    return entry.manifest
  }

  /** Keeps a manifest; one that is larger than the cache is not kept. */
  set(key: string, manifest: LoadedManifest, bytes: number): void {
    this.#drop(key)
    if (bytes > this.maxBytes) return
    this.#loaded.set(key, { manifest, bytes })
    this.#bytes += bytes
    for (const oldest of this.#loaded.keys()) {
      if (this.#bytes <= this.maxBytes) break
      this.#drop(oldest)
    }
  }

  clear(): void {
    this.#loaded.clear()
    this.#bytes = 0
  }

  #drop(key: string): void {
    const entry = this.#loaded.get(key)
    if (entry === undefined) return
    this.#loaded.delete(key)
    this.#bytes -= entry.bytes
  }
}
