import { LakefoldError } from '../../base/errors.js'
import type { FileIO } from '../../io/file-io.js'
import { ifThere, namesAfter, type TablePaths } from './paths.js'
import { parseTableSchema, type TableSchema } from './schema.js'

/** The schemas of one branch by id. A schema file never changes, so that each is read once. */
export class SchemaStore {
  private readonly read = new Map<number, Promise<TableSchema>>()

  constructor(
    private readonly io: FileIO,
    readonly paths: TablePaths,
  ) {}

  /** The schema with this id; FILE_NOT_FOUND naming the file and the id if it is not there. */
  byId(id: number): Promise<TableSchema> {
    let schema = this.read.get(id)
    if (schema === undefined) {
      schema = this.load(id)
      this.read.set(id, schema)
      // A failure is not kept: the next call may fare better.
      schema.catch(() => this.read.delete(id))
    }
    return schema
  }

  /** The newest schema; undefined where there is none: then there is no table. */
  async latest(): Promise<TableSchema | undefined> {
    const id = (await this.ids()).at(-1)
    return id === undefined ? undefined : this.byId(id)
  }

  /** The ids of all schemas, ascending. */
  async ids(): Promise<readonly number[]> {
    const names = await namesAfter(this.io, this.paths.schemaFolder, 'schema-')
    return names
      .filter((name) => /^(?:0|[1-9]\d{0,14})$/.test(name))
      .map(Number)
      .sort((a, b) => a - b)
  }

  private async load(id: number): Promise<TableSchema> {
    const file = this.paths.schema(id)
    const bytes = await ifThere(this.io.read(file))
    if (bytes === undefined) {
      throw new LakefoldError('FILE_NOT_FOUND', `${file} does not exist: schema ${id} of the table is missing`, {
        context: { file, schemaId: id },
      })
    }
    const schema = parseTableSchema(bytes, file)
    if (schema.id === id) return schema
    throw new LakefoldError('CORRUPT_FILE', `${file}: id is ${schema.id}, the file name says ${id}`, {
      context: { file, field: 'id', value: schema.id },
    })
  }
}
