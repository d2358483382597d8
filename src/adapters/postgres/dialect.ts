// What PostgreSQL writes differently in the conditions of a listing.
import type { Dialect } from "../sql/condition.ts";
import { storable } from "./literals.ts";

export const POSTGRES_DIALECT: Dialect = {
  placeholder: (index) => `$${index}`,
  opaque: (column, type) => (type === "text" ? `(${column} || '')` : `(${column} + 0)`),
  // The planner would turn EXISTS into a join or a table of all that exist, each of them larger than a page is worth.
  exists: (query) => `(${query} LIMIT 1) IS NOT NULL`,
  value: (value) => (typeof value === "string" ? storable(value) : value),
};
