import fs from "node:fs";
import path from "node:path";
import pino from "pino";
import { type Database, openDatabase } from "../src/server/db/client.ts";
import { makeAccount } from "../tests/support/sending.ts";
import type { SinkStats } from "./http-sink.ts";
import { LEDGER_TEXT, ledgerRun } from "./ledger.ts";
import type { LedgerAnswer, LedgerRequest } from "./ledger-child.ts";
import { benchPostgres } from "./postgres.ts";
import { benchRedis } from "./redis.ts";
import { startWorker, type Worker } from "./worker.ts";
import { type Bench, median, type Workload } from "./workload.ts";

const PEOPLE = 50_000;
const WARM_UP = 10_000;
const LIMIT = "bare loop";
const FOLDER = path.join(import.meta.dirname, "peers");

type Compared = {
  name: string;
  label: string;
  times: number;
  share: number;
  redis: boolean;
  withdrawn?: boolean;
};

const PEERS: readonly Compared[] = [
  { name: "bullmq", label: "BullMQ", times: 1.6, share: 1, redis: true },
  { name: "bullmq-records", label: "BullMQ and an insert", times: 4, share: 0.5, redis: true },
  { name: "graphile", label: "graphile-worker", times: 1.6, share: 1, redis: false },
  { name: "limited", label: "p-limit and an insert", times: 3, share: 1, redis: false, withdrawn: true },
  { name: "one-by-one", label: "one by one", times: 20, share: 0.1, redis: false, withdrawn: true },
];

/**
 * Other queues send the same messages to the same instant gateway; a bare loop is the limit. Packages come
 * from `npm ci` in bench/peers, Redis from the machine; missing ones are reported and skipped.
 */
export const peersWorkload: Workload = {
  name: "peers",
  async run(bench) {
    if (!fs.existsSync(path.join(FOLDER, "node_modules"))) {
      bench.say("peers: left out, its packages are not there (npm ci in bench/peers)");
      return;
    }
    const postgres = await benchPostgres();
    const redis = await benchRedis(postgres.folder);
    if (!redis) bench.say("peers: BullMQ left out, there is no redis-server on this machine");
    const database = openDatabase(postgres.url, { log: pino({ level: "warn" }), max: 4 });
    const sink = startWorker<null, SinkStats>(path.join(import.meta.dirname, "http-sink.ts"));
    const { url } = await sink.ask(null);
    const start = <Request, Answer>(file: string, variant: string, ...more: string[]) =>
      startWorker<Request, Answer>(path.join(import.meta.dirname, file), [
        variant,
        url,
        postgres.url,
        ...more,
      ]);
    const bare = start<LedgerRequest, LedgerAnswer>("ledger-child.ts", "raw");
    const ours = start<LedgerRequest, LedgerAnswer>("ledger-child.ts", "ids");
    const peers = PEERS.filter((peer) => redis || !peer.redis).map((peer) => ({
      ...peer,
      worker: start<PeerRequest, PeerAnswer>("peers/send.mjs", peer.name, String(redis?.port ?? 0)),
    }));
    try {
      await rounds({ bench, database, sink, bare, ours, peers });
    } finally {
      for (const worker of [...peers.map((peer) => peer.worker), ours, bare]) await worker.stop();
      await sink.stop();
      await redis?.stop();
      await database.close();
      await postgres.stop();
    }
  },
};

type PeerRequest = { people: number; text: string };
type PeerAnswer = { seconds: number; cpuS: number };
type Peer = Compared & { worker: Worker<PeerRequest, PeerAnswer> };

type Parts = {
  bench: Bench;
  database: Database;
  sink: Worker<null, SinkStats>;
  bare: Worker<LedgerRequest, LedgerAnswer>;
  ours: Worker<LedgerRequest, LedgerAnswer>;
  peers: readonly Peer[];
};

async function rounds({ bench, database, sink, bare, ours, peers }: Parts): Promise<void> {
  const accountId = await makeAccount(database.db);
  const all = bench.n ?? PEOPLE;
  const ratios = new Map(peers.map(({ name }) => [name, [] as number[]]));
  const theirs = new Map(peers.map(({ name }) => [name, [] as number[]]));
  for (let round = -1; round < bench.rounds; round++) {
    const people = round < 0 ? Math.min(WARM_UP, all) : all;
    const run = { database, sink, accountId, people };
    const limit = await ledgerRun({ ...run, worker: bare, variant: "raw" });
    const mine = await ledgerRun({ ...run, worker: ours, variant: "ids" });
    if (round >= 0) {
      bench.note({ workload: "peers", variant: LIMIT, figures: limit });
      bench.note({ workload: "peers", variant: "our lane", figures: mine });
    }
    for (const peer of peers) {
      const figures = await peerRun(sink, peer, Math.ceil(people * peer.share));
      if (round < 0) continue;
      const ratio = mine.perS / figures.perS;
      bench.note({ workload: "peers", variant: peer.label, figures });
      bench.note({ workload: "peers", variant: `our lane / ${peer.label}`, figures: { ratio } });
      const most = limit.perS / figures.perS;
      bench.note({ workload: "peers", variant: `${LIMIT} / ${peer.label}`, figures: { ratio: most } });
      ratios.get(peer.name)?.push(ratio);
      theirs.get(peer.name)?.push(figures.perS);
    }
  }
  for (const { name, times, withdrawn = false } of peers)
    bench.goal({
      name: `peers-lane/${name}`,
      bound: times,
      kind: "atLeast",
      measured: median(ratios.get(name) ?? []),
      limits: theirs.get(name) ?? [],
      withdrawn,
    });
}

async function peerRun(sink: Worker<null, SinkStats>, { worker, label }: Peer, people: number) {
  await sink.ask(null);
  const { seconds, cpuS } = await worker.ask({ people, text: LEDGER_TEXT });
  const { distinct, duplicates } = await sink.ask(null);
  if (distinct !== people || duplicates > 0)
    throw new Error(`${label}: ${people - distinct} people missing, ${duplicates} messages twice`);
  return { people, perS: people / seconds, ourUs: (cpuS / people) * 1e6 };
}
