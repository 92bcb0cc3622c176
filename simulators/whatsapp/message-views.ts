import type { z } from "zod";
import type { Answers, FileView, ImageView, MessageView } from "./control-answers.ts";
import type { Calls } from "./control-requests.ts";
import type { MessageRecord } from "./ledger.ts";
import { refusal } from "./refusal.ts";
import type { World } from "./world.ts";

const RECOUNT_MS = 10;

type Wanted = z.output<Calls["messages"]>;

function* find(world: World, wanted: Wanted): Generator<MessageRecord> {
  const { to, from, id, shown } = wanted;
  // Searching the ledger is slower.
  const onPhone = to !== undefined && shown !== false && !to.includes("@");
  const records = onPhone ? (world.people.find(to)?.held ?? []) : world.ledger.all();
  for (const record of records) {
    if (!onPhone && to !== undefined && record.to !== to) continue;
    if (from !== undefined && record.from !== from) continue;
    if (id !== undefined && record.id !== id) continue;
    if (!onPhone && shown === true && !record.shown) continue;
    yield record;
  }
}

async function viewImage(world: World, record: MessageRecord): Promise<ImageView | null> {
  const { image } = record;
  if (!image) return null;
  const opened = await world.media.open(image).catch(() => null);
  return {
    mimetype: image.mimetype ?? "",
    bytes: opened?.bytes.length ?? 0,
    sha256: opened?.sha256 ?? null,
    width: image.width ?? null,
    height: image.height ?? null,
  };
}

async function viewFile(world: World, { file }: MessageRecord): Promise<FileView | null> {
  if (!file) return null;
  const { note, ...facts } = file;
  const opened = await world.media.open(note, file.kind).catch(() => null);
  return {
    ...facts,
    mimetype: note.mimetype ?? "",
    bytes: opened?.bytes.length ?? 0,
    sha256: opened?.sha256 ?? null,
  };
}

async function view(world: World, record: MessageRecord): Promise<MessageView> {
  const { id, from, to, text, about, shown, frames, accepted, refusedWith, undecryptable, firstAt, lastAt } =
    record;
  return {
    id,
    from,
    to,
    text,
    image: await viewImage(world, record),
    file: await viewFile(world, record),
    about,
    shown,
    frames,
    accepted,
    collapsed: accepted > 1,
    refusedWith,
    undecryptable,
    firstAt: new Date(firstAt).toISOString(),
    lastAt: new Date(lastAt).toISOString(),
  };
}

function waitForMessages(world: World, wanted: Wanted): Promise<void> {
  const enough = () => {
    let found = 0;
    for (const _ of find(world, wanted)) {
      found += 1;
      if (found >= wanted.atLeast) return true;
    }
    return found >= wanted.atLeast;
  };
  if (enough()) return Promise.resolve();
  return new Promise((resolve) => {
    let recount: NodeJS.Timeout | undefined;
    // Counting reads all messages, so a burst is counted once.
    const check = () => {
      recount ??= setTimeout(() => {
        recount = undefined;
        if (enough()) finish();
      }, RECOUNT_MS);
    };
    const finish = () => {
      clearTimeout(timer);
      clearTimeout(recount);
      world.events.off("message", check);
      resolve();
    };
    const timer = setTimeout(finish, wanted.timeoutMs);
    world.events.on("message", check);
  });
}

export async function listMessages(world: World, wanted: Wanted): Promise<Answers["messages"]> {
  if (wanted.atLeast > 0) await waitForMessages(world, wanted);
  const page: MessageRecord[] = [];
  let total = 0;
  for (const record of find(world, wanted)) {
    if (total >= wanted.offset && page.length < wanted.limit) page.push(record);
    total += 1;
  }
  return { total, messages: await Promise.all(page.map((record) => view(world, record))) };
}

export async function readImage(world: World, wanted: z.output<Calls["image"]>): Promise<Answers["image"]> {
  const defaults = { offset: 0, limit: 1, atLeast: 0, timeoutMs: 0 };
  for (const record of find(world, { ...defaults, ...wanted })) {
    if (!record.image) continue;
    const { bytes, sha256 } = await world.media.open(record.image);
    return { base64: bytes.toString("base64"), mimetype: record.image.mimetype ?? "", sha256 };
  }
  throw refusal("image_not_found");
}
