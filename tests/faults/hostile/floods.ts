import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { Agent, request } from "undici";
import { until } from "../installation.ts";
import { Caller, network } from "./person.ts";
import { type HostileWorld, hammer, isConnected, makeListOf } from "./world.ts";

/**
 * What a stranger does while the honest account works, until `signal`; answers a summary line. The e-mails
 * name the attacks of a review: each broke an earlier version.
 */
export type Flood = (world: HostileWorld, signal: AbortSignal) => Promise<string>;

const STRANGERS = 5_521_900_000_000;

const leavingFlood =
  (events: number): Flood =>
  async ({ stranger: { hook } }, signal) => {
    const start = performance.now();
    const answers = new Map<number, number>();
    let posted = 0;
    await hammer(32, signal, async (nth) => {
      if (nth > events) return new Promise((resolve) => signal.addEventListener("abort", resolve));
      const status = await hook.message(String(STRANGERS + nth), "SAIR");
      answers.set(status, (answers.get(status) ?? 0) + 1);
      posted += 1;
      return undefined;
    });
    const seconds = ((performance.now() - start) / 1_000).toFixed(0);
    return `${posted} of ${events} events in ${seconds} s, answered ${tally(answers)}`;
  };

const tally = (answers: ReadonlyMap<number, number>) =>
  [...answers].map(([status, times]) => `${status} × ${times}`).join(", ");

const parkedUploads: Flood = async ({ stranger: { hook } }, signal) => {
  const parked = Array.from({ length: 4 }, () => hook.park(32 * 1024 * 1024, signal));
  await Promise.all(parked);
  return "4 uploads of 32 MB without their end";
};

const descriptionFlood: Flood = async ({ product }, signal) => {
  const browser = new Caller(product);
  let done = 0;
  await hammer(64, signal, async (nth) => {
    const path = nth % 2 === 0 ? "/api/openapi.json" : "/api/docs";
    const answer = await browser.ask("GET", path, { signal, headers: { "x-forwarded-for": network() } });
    await answer.arrayBuffer();
    done += 1;
  });
  return `${done} descriptions`;
};

const hugeBodies: Flood = async ({ stranger: { caller } }, signal) => {
  const zeros = `{"name":"x","contacts":[${"0,".repeat(5 * 1024 * 1024 - 20)}0]}`;
  const keys = `{${Array.from({ length: 60_000 }, (_, nth) => `"k${nth}":0`).join(",")}}`;
  const bodies: [string, string][] = [
    ["/api/contact-imports/json", zeros],
    ["/api/campaigns", keys],
    ["/api/contact-imports/json", `{"contacts":${"[".repeat(50_000)}${"]".repeat(50_000)}}`],
  ];
  const answers = new Map<number, number>();
  await hammer(2, signal, async (nth) => {
    const [path, body] = bodies[nth % bodies.length] ?? ["", ""];
    const answer = await caller.ask("POST", path, {
      headers: { "content-type": "application/json" },
      body,
      signal,
    });
    await answer.arrayBuffer();
    answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
  });
  return `bodies answered ${tally(answers)}`;
};

const startFlood: Flood = async ({ stranger, database }, signal) => {
  const listId = await makeListOf(database, stranger.accountId, 200_000, STRANGERS);
  const answers = new Map<number, number>();
  let nth = 0;
  while (!signal.aborted && nth < 12) {
    nth += 1;
    const { status } = await stranger.caller.json("POST", "/api/campaigns", {
      name: `Enchente ${nth}`,
      text: "Oi",
      listId,
      connectionId: null,
      intervalS: 60,
      intent: "create",
    });
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }
  await ended(signal);
  return `${nth} campaigns of 200000 people, answered ${tally(answers)}`;
};

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

const importFlood: Flood = async (world, signal) => {
  const second = await world.another();
  const rows = Array.from({ length: 250_000 }, (_, nth) => `Pessoa de nome ${nth};55219${80_000_000 + nth}`);
  const file = ["Nome;Telefone", ...rows].join("\n");
  const answers = new Map<number, number>();
  const upload = async (caller: Caller) => {
    for (let nth = 0; nth < 8 && !signal.aborted; nth++) {
      const answer = await caller.ask("POST", `/api/contact-imports?name=Enchente%20${nth}`, {
        headers: { "content-type": "text/csv" },
        body: file,
      });
      await answer.arrayBuffer();
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
    }
  };
  await Promise.all([upload(world.stranger.caller), upload(second)]);
  await ended(signal);
  return `files of ${Math.round(file.length / 1e5) / 10} MB from two accounts, answered ${tally(answers)}`;
};

const searchFlood: Flood = async ({ stranger, database }, signal) => {
  for (let nth = 0; nth < 4; nth++)
    await makeListOf(database, stranger.accountId, 250_000, STRANGERS + 1_000_000 * (nth + 1));
  const answers = new Map<number, number>();
  await hammer(40, signal, async () => {
    const answer = await stranger.caller.ask("GET", "/api/search?q=zzzzqq", { signal });
    await answer.arrayBuffer();
    answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
  });
  return `searches answered ${tally(answers)}`;
};

/** Pictures of nearly 5 MB at once. Sent without copies, which would keep this process from measuring. */
const pictureFlood: Flood = async ({ product, stranger: { caller } }, signal) => {
  const picture = await noisyPicture();
  const agent = new Agent({ connections: PICTURES });
  const answers = new Map<number, number>();
  await Promise.all(
    Array.from({ length: PICTURES }, async () => {
      const status = await request(`${product.url}/api/attachments`, {
        method: "POST",
        dispatcher: agent,
        signal,
        body: picture,
        headers: { ...caller.headers(), "content-type": "image/png" },
      })
        .then(async ({ statusCode, body }) => {
          await body.dump();
          return statusCode;
        })
        .catch(() => 0);
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }),
  );
  await ended(signal);
  await agent.destroy();
  return `${PICTURES} pictures of ${(picture.length / 1e6).toFixed(1)} MB, answered ${tally(answers)} (0: cut off)`;
};

const PICTURES = 200;

async function noisyPicture(): Promise<Buffer> {
  const side = 1_250;
  const noise = randomBytes(side * side * 3);
  return sharp(noise, { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();
}

export const FLOODS: Readonly<Record<string, Flood>> = {
  "F1 words of leaving": leavingFlood(8_000),
  "F1b parked uploads": parkedUploads,
  "F2 descriptions": descriptionFlood,
  "F3 huge bodies": hugeBodies,
  "F4a campaign starts": startFlood,
  "F4b imports": importFlood,
  "F4d pictures": pictureFlood,
  "F7 searches": searchFlood,
};

/**
 * F4c: a stranger's numbers and a crash. Answers for how many ms the honest instance was away after the
 * start.
 */
export async function restartAmongNumbers({
  product,
  stranger,
  honest,
}: HostileWorld): Promise<{ line: string; ms: number }> {
  const answers = new Map<number, number>();
  for (let nth = 0; nth < 300; nth++) {
    const { status } = await stranger.caller.json("POST", "/api/whatsapp/connect", {
      deviceId: String(STRANGERS + nth),
      connectionName: `Número ${nth}`,
    });
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }
  const before = honest.gateway.world.accepted.length;
  await product.restart();
  const start = performance.now();
  await until("the honest instance", () => isConnected(honest.caller).catch(() => false));
  await until("its next message", async () => honest.gateway.world.accepted.length > before);
  return { line: `300 numbers asked for, answered ${tally(answers)}`, ms: performance.now() - start };
}
