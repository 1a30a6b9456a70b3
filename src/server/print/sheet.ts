/** Draws the sheets of the print kit as vector PDF. It runs in a thread of its own, because layout and fonts take their time. */
import type { Ink, Paper, PrintFormat } from '#shared/print.ts';

/** What is printed, and how. */
export interface Sheet {
  readonly format: PrintFormat;
  readonly paper: Paper;
  readonly ink: Ink;
  /** Who receives the tips, as givers see it. */
  readonly name: string;
  /** Such as "Bartender". */
  readonly service: string;
  readonly greeting: string | null;
  /** As it is shown: `XXXXX-XXXXX`. */
  readonly codeId: string;
  /** The tip page, which the code carries. */
  readonly address: string;
  /** The date in the document, in milliseconds since 1970. */
  readonly madeAtMs: number;
}

/** @returns a PDF that is the same, byte by byte, for the same sheet. */
export async function drawSheet(sheet: Sheet): Promise<Uint8Array> {
  throw new Error(`${sheet.format} is not drawn yet`);
}
