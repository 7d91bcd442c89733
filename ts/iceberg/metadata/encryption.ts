import type { JsonObject } from '../../base/json-object.js'

/** A key of v3 table encryption (Iceberg spec, "Encryption Keys"). lakefold reads the list; encrypted files it refuses by name. */
export interface EncryptedKey {
  readonly keyId: string
  /** Base64. */
  readonly encryptedKeyMetadata: string
  readonly encryptedById: string | undefined
  readonly properties: ReadonlyMap<string, string>
}

export function parseEncryptionKeys(json: JsonObject): readonly EncryptedKey[] {
  return (json.optObjects('encryption-keys') ?? []).map((key) => ({
    keyId: key.string('key-id'),
    encryptedKeyMetadata: key.string('encrypted-key-metadata'),
    encryptedById: key.optString('encrypted-by-id'),
    properties: key.optStringMap('properties') ?? new Map(),
  }))
}
