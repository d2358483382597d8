// The columns of the tables, and the names of the fields that have their values.
import { TABLES } from "./tables.ts";

export type StoredTable = keyof typeof TABLES;

/** The names of the columns of a table, in its order, read by the compiler. */
type ColumnsIn<Text extends string, Before extends readonly string[] = []> = Text extends `${infer Column},\n${infer Rest}`
  ? ColumnsIn<Rest, [...Before, NameIn<Column>]>
  : [...Before, NameIn<Text>];
type NameIn<Column extends string> = Column extends `${" " | "\n"}${infer Rest}`
  ? NameIn<Rest>
  : Column extends `"${infer Name}" ${string}`
    ? Name
    : Column extends `${infer Name} ${string}`
      ? Name
      : never;
type FieldFor<Column extends string> = Column extends `${infer Word}_${infer Rest}` ? `${Word}${Capitalize<FieldFor<Rest>>}` : Column;
type FieldsFor<Columns extends readonly string[]> = { readonly [Place in keyof Columns]: FieldFor<Columns[Place]> };

/** The fields of a row, in the order of its columns. */
export type FieldsOf<Table extends StoredTable> = FieldsFor<ColumnsIn<(typeof TABLES)[Table]["columns"]>>;

export const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const fieldOf = (column: string): string => column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** In the order of the table. */
export const columnsOf = (table: StoredTable): readonly string[] =>
  [...TABLES[table].columns.matchAll(/^\s*"?(\w+)"? (?:number|small|name|text)\b/gm)].map(([, name = ""]) => name);

export const keysOf = (table: StoredTable): readonly string[] => {
  const { columns } = TABLES[table];
  const several = /PRIMARY KEY \((.*)\)/.exec(columns)?.[1]?.split(", ");
  return several ?? [/(\w+) \w+ PRIMARY KEY/.exec(columns)?.[1] ?? ""];
};

/** All columns of a table as the fields of a row; `alias` is the name of the table in the statement. */
export const fieldsIn = (table: StoredTable, alias: string = table): string =>
  columnsOf(table)
    .map((column) => `${alias}."${column}" AS "${fieldOf(column)}"`)
    .join(", ");
/** The beginning of a statement that reads whole rows of a table. */
export const rowsFrom = (table: StoredTable): string => `SELECT ${fieldsIn(table)} FROM ${table}`;
