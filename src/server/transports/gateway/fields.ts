import { z } from "zod";
import { cleanText } from "../content/own-values.ts";

/** What several answers of a gateway consist of. */

/** Longer than any address or code. */
export const LONGEST = 10_000;

/** What no database can hold must not enter. */
export const Text = z
  .string()
  .transform((text) => cleanText(text, LONGEST))
  .nullable()
  .catch(null);
/** A million empty rows in 8 MB would block the process for almost a minute. */
export const first = (most: number) =>
  z.custom<unknown[]>((value) => Array.isArray(value)).transform((rows) => rows.slice(0, most));
/** More than any server or page has. */
export const MOST_ROWS = 10_000;
/** Numbers per query, and events per webhook. */
export const MOST_FEW = 100;
export const Count = z.number().int().nonnegative().catch(0);
export const When = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  // Our answers cannot express other years.
  .refine((at) => at.getUTCFullYear() >= 0 && at.getUTCFullYear() <= 9999)
  .nullable()
  .catch(null);
