import { AppError } from "../../domain/errors.ts";
import type { EvolutionClient, StoredMessage } from "../transports/gateway/evolution-client.ts";

/** A time of an instance, and how far its gateway was asked for it. Gateways answer in pages, the newest messages first. */
export type Walk = {
  from: Date;
  /** Until when: brought forward while the time holds more than may be asked for, of which its first part comes first. */
  to: Date;
  fromMe?: true;
  /** The next one, from 1, and how many there are: unknown before the first was answered. */
  page: number;
  pages: number | null;
  /** Messages of a page. */
  size: number;
};

const PAGE = 250;
/** Pages that are too large to be read are asked for in parts of so many, down to a few messages each. */
const PARTS = 5;
const SMALLEST = 2;
/** More than this many are asked for in two halves. */
const MAX_PAGES = 40;
const SHORTEST_MS = 60_000;

export const startWalk = (time: Pick<Walk, "from" | "to" | "fromMe">): Walk => ({
  ...time,
  page: 1,
  pages: null,
  size: PAGE,
});

export const isWalked = ({ page, pages }: Walk): boolean => pages !== null && page > pages;

/** Asks for one page and takes it in. Answers how far the walk is then; where this throws it is where it was. */
export async function walkOn(
  client: Pick<EvolutionClient, "findMessages">,
  name: string,
  walk: Walk,
  takeIn: (found: readonly StoredMessage[]) => Promise<void>,
): Promise<Walk> {
  const { from, to, fromMe, page, size } = walk;
  const search = { between: { from, to }, page, pageSize: size, ...(fromMe ? { fromMe } : {}) };
  const found = await client.findMessages(name, search).catch((error: unknown) => {
    if (isTooLarge(error) && size > SMALLEST) return null;
    throw error;
  });
  // Anybody can write to us with large drawings in it: else such a page would be the end of all that is asked.
  if (!found) return startSmaller(walk);
  const first = walk.pages === null;
  if (first && found.pages > MAX_PAGES && to.getTime() - from.getTime() > SHORTEST_MS)
    return { ...walk, to: new Date((from.getTime() + to.getTime()) / 2) };
  await takeIn(found.messages);
  // What was stored meanwhile shifts the oldest ones to a page more. Ten thousand messages in the shortest time: more is what no gateway
  // holds, and would be asked of it for ever.
  const pages = Math.min(Math.max(found.pages, walk.pages ?? 0), (MAX_PAGES * PAGE) / size);
  return { ...walk, page: page + 1, pages };
}

const startSmaller = (walk: Walk): Walk => ({
  ...walk,
  page: 1,
  pages: null,
  size: Math.max(SMALLEST, Math.floor(walk.size / PARTS)),
});

const isTooLarge = (error: unknown): boolean =>
  error instanceof AppError && error.code === "gateway_garbage" && error.details.reason === "too_large";
