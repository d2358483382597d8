// Every tool, in the order in which a newcomer needs them. A new tool is its definition and one line here.
import type { OperationSchemas } from "../openapi-schemas.ts";
import { attachmentTool } from "./read-attachment.ts";
import { guideTool } from "./guide.ts";
import { readingTools } from "./reading.ts";
import type { Tool } from "./tool.ts";
import { writingTools } from "./writing.ts";
import { workingTools } from "./take-work.ts";

export interface ToolOptions {
  readonly shapes: OperationSchemas;
  /** Whether callers send their key; otherwise the server already has it. */
  readonly takesKeys: boolean;
  /** The beginning of board_guide. */
  readonly introduction: string;
}

export const tools = (options: ToolOptions): readonly Tool[] => [
  guideTool(options.introduction),
  ...readingTools(options.shapes),
  attachmentTool,
  ...workingTools(options),
  ...writingTools(options),
];
