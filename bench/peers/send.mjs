import { randomUUID } from "node:crypto";
import pg from "pg";
import { Pool } from "undici";

const [variant, sinkUrl, databaseUrl, redisPort] = process.argv.slice(2);
const AT_ONCE = 32;
const CHUNK = 1_000;
const gateway = new Pool(sinkUrl, { connections: AT_ONCE, pipelining: 1 });
const database = new pg.Pool({ connectionString: databaseUrl, max: 10 });

await database.query(`create table if not exists peer_send (id bigint generated always as identity primary key,
  campaign integer not null, phone text not null, status text not null, error text, at timestamptz default now())`);
await database.query("create index if not exists peer_send_phone on peer_send (campaign, phone)");

const phoneOf = (seq) => String(5_511_900_000_000 + seq);

async function send(seq, text) {
  const message = text.replace("{nome}", `Pessoa ${seq}`);
  const body = JSON.stringify({ deviceId: "5511940000001", number: phoneOf(seq), message, id: randomUUID() });
  const headers = { "content-type": "application/json" };
  const answer = await gateway.request({ path: "/api/whatsapp/send", method: "POST", headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`the sink answered ${answer.statusCode}`);
}

const INSERT = "insert into peer_send (campaign, phone, status) values ($1, $2, 'success')";
const record = (seq) => database.query({ name: "record", text: INSERT, values: [1, phoneOf(seq)] });
const chunksOf = (people) =>
  Array.from({ length: Math.ceil(people / CHUNK) }, (_, at) =>
    Array.from({ length: Math.min(CHUNK, people - at * CHUNK) }, (_, k) => at * CHUNK + k),
  );

async function timed(work) {
  const start = performance.now();
  const used = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(used);
  return { seconds: (performance.now() - start) / 1000, cpuS: (user + system) / 1e6 };
}

async function bullmq(people, text, records) {
  const { Queue, Worker } = await import("bullmq");
  const connection = { host: "127.0.0.1", port: Number(redisPort), maxRetriesPerRequest: null };
  const queue = new Queue("send", { connection });
  await queue.obliterate({ force: true });
  const opts = { removeOnComplete: true, attempts: 3, backoff: { type: "exponential", delay: 1_000 } };
  for (const seqs of chunksOf(people))
    await queue.addBulk(seqs.map((seq) => ({ name: "send", data: { seq }, opts })));
  let worker;
  const took = await timed(
    () =>
      new Promise((resolve, reject) => {
        let done = 0;
        const handle = async ({ data }) => {
          await send(data.seq, text);
          if (records) await record(data.seq);
        };
        worker = new Worker("send", handle, { connection, concurrency: AT_ONCE });
        worker.on("failed", (_, error) => reject(error));
        worker.on("completed", () => {
          done += 1;
          if (done === people) resolve();
        });
      }),
  );
  await worker.close();
  await queue.close();
  return took;
}

async function graphile(people, text) {
  const { Logger, makeWorkerUtils, run } = await import("graphile-worker");
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger });
  await utils.migrate();
  for (const seqs of chunksOf(people))
    await utils.addJobs(seqs.map((seq) => ({ identifier: "send", payload: { seq }, maxAttempts: 3 })));
  const worker = {
    ...{ connectionString: databaseUrl, concurrentJobs: AT_ONCE, maxPoolSize: 10, pollInterval: 500 },
    ...{ localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
  };
  let runner;
  const took = await timed(async () => {
    let done = 0;
    let end;
    const ended = new Promise((resolve) => {
      end = resolve;
    });
    const task = async ({ seq }) => {
      await send(seq, text);
      done += 1;
      if (done === people) end();
    };
    const noHandleSignals = true;
    runner = await run({
      ...{ connectionString: databaseUrl, preset: { worker }, logger, noHandleSignals },
      taskList: { send: task },
    });
    await ended;
  });
  await runner.stop();
  await utils.release();
  return took;
}

async function limited(people, text) {
  const { default: pLimit } = await import("p-limit");
  const limit = pLimit(AT_ONCE);
  return timed(() =>
    Promise.all(
      Array.from({ length: people }, (_, seq) =>
        limit(async () => {
          await send(seq, text);
          await record(seq);
        }),
      ),
    ),
  );
}

async function oneByOne(people, text) {
  const look = "select 1 from peer_send where campaign = $1 and phone = $2";
  return timed(async () => {
    for (let seq = 0; seq < people; seq++) {
      const { rows } = await database.query({ name: "look", text: look, values: [1, phoneOf(seq)] });
      if (rows.length > 0) continue;
      await send(seq, text);
      await record(seq);
    }
  });
}

const WAYS = {
  bullmq: (people, text) => bullmq(people, text, false),
  "bullmq-records": (people, text) => bullmq(people, text, true),
  graphile,
  limited,
  "one-by-one": oneByOne,
};

process.on("message", ({ people, text }) => {
  database
    .query("truncate peer_send")
    .then(() => WAYS[variant](people, text))
    .then(
      (answer) => process.send({ answer }),
      (error) => process.send({ error: error.stack ?? String(error) }),
    );
});
process.on("disconnect", () => process.exit());
