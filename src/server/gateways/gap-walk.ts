import { AppError } from "../../domain/errors.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import type { StoredMessage } from "../transports/gateway/stored-message.ts";

/** A time range and the progress through its pages, newest first. */
export type Walk = {
  from: Date;
  /** Earlier when the range holds too many messages. */
  to: Date;
  fromMe?: true;
  page: number;
  pages: number | null;
  size: number;
};

const PAGE = 250;
/** Splits pages too large to read, down to a few messages. */
const PARTS = 5;
const SMALLEST = 2;
/** Longer ranges are halved. */
const MAX_PAGES = 40;
const SHORTEST_MS = 60_000;

export const startWalk = (time: Pick<Walk, "from" | "to" | "fromMe">): Walk => ({
  ...time,
  page: 1,
  pages: null,
  size: PAGE,
});

export const isWalked = ({ page, pages }: Walk): boolean => pages !== null && page > pages;

/** On an error the previous progress holds. */
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
  // Anyone can send large images; such a page must not stop all checks.
  if (!found) return startSmaller(walk);
  const first = walk.pages === null;
  if (first && found.pages > MAX_PAGES && to.getTime() - from.getTime() > SHORTEST_MS)
    return { ...walk, to: new Date((from.getTime() + to.getTime()) / 2) };
  await takeIn(found.messages);
  // New messages shift older ones. At most ten thousand: a hostile gateway could always report more.
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
