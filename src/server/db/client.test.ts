import { once } from "node:events";
import net from "node:net";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { databaseTarget, databaseThrough, openFaultProxy } from "../../../tests/support/fault-proxy.ts";
import { openDatabase } from "./client.ts";

const { db, database, url } = await testDatabase();

test("int8 is a number, a date is its text, a timestamp a Date", async () => {
  const { rows } = await sql<{ n: number; list: number[]; day: string; at: Date }>`
    select 9007199254740991::int8 as n, array[1, 2]::int8[] as list, date '2026-03-01' as day, now() as at`.execute(
    db,
  );
  expect(rows[0]).toMatchObject({ n: 9007199254740991, list: [1, 2], day: "2026-03-01" });
  expect(rows[0]?.at).toBeInstanceOf(Date);
});

test("an int8 that JavaScript would round is an error, not another row's id", async () => {
  await expect(sql`select 9007199254740993::int8`.execute(db)).rejects.toThrow(/safe range/);
});

test("a text of several statements answers the rows of all of them", async () => {
  const { rows, rowCount } = await database.query(
    "begin; select 1 as n; select 2 as n union all select 3; commit",
  );
  expect([rows, rowCount]).toEqual([[{ n: 1 }, { n: 2 }, { n: 3 }], 3]);
});

test("a prepared statement is planned once under its name", async () => {
  await database.session(async ({ db, prepared }) => {
    for (const n of [1, 2, 3]) await prepared("add-one", "select $1::int + 1 as sum", [n]);
    const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(db);
    expect(rows).toEqual([{ name: "add-one" }]);
  });
});

test("COPY inside a transaction is part of it", async () => {
  await sql`create table copied (n int)`.execute(db);
  await database.session(async (session) => {
    const failing = session.db.transaction().execute(async () => {
      const stream = session.copyIn("copy copied from stdin");
      stream.end("1\n2\n");
      await once(stream, "finish");
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
  });
  expect((await sql`select * from copied`.execute(db)).rows).toEqual([]);
});

test("the connection of a failed session is not reused", async () => {
  const failing = database.session(async ({ db }) => {
    await sql`begin`.execute(db);
    throw new Error("left open");
  });
  await expect(failing).rejects.toThrow("left open");
  const leftOpen = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`.execute(
      db,
    );
    return rows[0]?.n;
  };
  await expect.poll(leftOpen).toBe(0);
});

test("after a session, in which statements may be long, its connection has the limits of the pool again", async () => {
  const one = openDatabase(url, { log: testLog, max: 1, statementTimeoutMs: 1_000 });
  onTestFinished(() => one.close());
  await one.session((session) => sql`select pg_sleep(1.5)`.execute(session.db));
  await expect(one.query("select pg_sleep(60)")).rejects.toThrow(/statement timeout/);
  const limit = await one.query<{ setting: string }>(
    "select current_setting('idle_in_transaction_session_timeout') as setting",
  );
  expect(limit.rows).toEqual([{ setting: "1s" }]);
});

test("a listener whose connection is cut comes back and says that it may have missed something", async () => {
  const heard: string[] = [];
  let gap = () => {};
  const gapSeen = new Promise<void>((resolve) => {
    gap = resolve;
  });
  let tell = () => {};
  const received = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const onMessage = (payload: string) => {
    heard.push(payload);
    if (payload === "after") tell();
  };
  const listener = await database.listen("test_channel", onMessage, () => gap());
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'recado-listen' and datname = current_database()`.execute(db);
  await gapSeen;
  await sql`select pg_notify('test_channel', 'after')`.execute(db);
  await received;
  expect(heard).toEqual(["after"]);
  await listener.close();
});

test("F5 a lane's statement over a connection that falls silent without a reset is broken off, and the next works", async () => {
  const wire = await openFaultProxy(databaseTarget(url));
  const through = openDatabase(databaseThrough(url, wire.port), { log: testLog, silenceMs: 200 });
  await through.prepared("one", "select 1", []);
  wire.swallow("there", "back");
  const asked = through.prepared("one", "select 1", []);
  wire.heal();
  await expect(asked).rejects.toThrow(/Connection terminated/);
  expect(await through.prepared("one", "select 1", [])).toMatchObject({ rowCount: 1 });
  await through.close();
  await wire.close();
});

test.each([
  ["the question", "there"],
  ["the answer", "back"],
] as const)(
  "F5 a pooled connection that loses %s without a reset is broken off, and the next works",
  async (_, way) => {
    const wire = await openFaultProxy(databaseTarget(url));
    const through = openDatabase(databaseThrough(url, wire.port), { log: testLog, silenceMs: 200 });
    await through.query("select 1");
    wire.swallow(way);
    const asked = through.query("select 1");
    wire.heal();
    await expect(asked).rejects.toThrow(/Connection terminated/);
    expect(await through.query("select 1")).toMatchObject({ rowCount: 1 });
    await through.close();
    await wire.close();
  },
);

test("F5 with the first dead connection those at rest are given up: the second question is answered at once", async () => {
  const wire = await openFaultProxy(databaseTarget(url));
  const through = openDatabase(databaseThrough(url, wire.port), { log: testLog, silenceMs: 500 });
  await Promise.all(Array.from({ length: 5 }, () => through.query("select pg_sleep(0.1)")));
  wire.swallow("there", "back");
  const asked = through.query("select 1");
  wire.heal();
  await expect(asked).rejects.toThrow(/Connection terminated/);
  expect(await through.query("select 1")).toMatchObject({ rowCount: 1 });
  await through.close();
  await wire.close();
});

test("F5 silence is counted from the last answer, not from one look after it to the next", async () => {
  const wire = await openFaultProxy(databaseTarget(url));
  const silenceMs = 1_500;
  const through = openDatabase(databaseThrough(url, wire.port), { log: testLog, silenceMs });
  onTestFinished(async () => {
    await through.close();
    await wire.close();
  });
  await Promise.all([through.query("select pg_sleep(0.1)"), through.query("select pg_sleep(0.1)")]);
  const lostAt = (asked: Promise<unknown>) =>
    asked.then(
      () => Number.NaN,
      () => performance.now(),
    );
  const { promise: bothAsk, resolve: answered } = Promise.withResolvers<void>();
  const afterAnAnswer = through.db.transaction().execute(async (tx) => {
    await sql`select 1`.execute(tx);
    wire.swallow("back");
    wire.heal();
    answered();
    await sql`select 1`.execute(tx);
  });
  await bothAsk;
  const [later, first] = await Promise.all([lostAt(afterAnAnswer), lostAt(through.query("select 1"))]);
  expect(later - first).toBeLessThan(silenceMs * 0.75);
});

test("F5 a transaction that the server ended unnoticed fails as soon", async () => {
  const wire = await openFaultProxy(databaseTarget(url));
  const through = openDatabase(databaseThrough(url, wire.port), {
    log: testLog,
    silenceMs: 200,
    statementTimeoutMs: 600_000,
  });
  const asked = through.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    wire.swallow("there", "back");
    wire.heal();
    await sql`select pg_terminate_backend(${rows[0]?.pid ?? 0}, 10_000)`.execute(db);
    return sql`select 1`.execute(tx);
  });
  await expect(asked).rejects.toThrow(/Connection terminated|not queryable/);
  await through.close();
  await wire.close();
});

/** Tells clients another process id, like a pooler. */
function openPooler() {
  const target = databaseTarget(url);
  return openServer((near) => {
    const far = net.connect("path" in target ? { path: target.path } : target);
    far.on("error", () => undefined);
    near.on("close", () => far.destroy());
    near.pipe(far).on("data", (piece: Buffer) => {
      const at = piece.indexOf("K\0\0\0\x0c", 0, "latin1");
      if (at >= 0) piece.writeInt32BE(2_000_000_000, at + 5);
      near.write(piece);
    });
  });
}

async function openServer(
  take: (near: net.Socket, nth: number) => void,
): Promise<{ port: number; close(): Promise<void> }> {
  const open = new Set<net.Socket>();
  const server = net.createServer((near) => {
    open.add(near.on("error", () => undefined));
    take(near, open.size);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as net.AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

test("behind a pooler, whose process id the server does not know, a slow statement is waited for", async () => {
  const pooler = await openPooler();
  const through = openDatabase(databaseThrough(url, pooler.port), { log: testLog, silenceMs: 100 });
  const slow = await through.query("select 'there' as answer from pg_sleep(2)");
  expect(slow.rows).toEqual([{ answer: "there" }]);
  await through.close();
  await pooler.close();
});

test("F5 without any way to the database it is broken off as well", async () => {
  const wire = await openFaultProxy(databaseTarget(url));
  const through = openDatabase(databaseThrough(url, wire.port), { log: testLog, silenceMs: 200 });
  await through.query("select 1");
  const asked = through.db.transaction().execute((tx) => {
    wire.refuse();
    wire.swallow("there", "back");
    return sql`select 1`.execute(tx);
  });
  await expect(asked).rejects.toThrow(/Connection terminated|not queryable/);
  await through.close();
  await wire.close();
});

test.each(["set statement_timeout", "in its work", "reset statement_timeout"])(
  "F5 a session that loses an answer without a reset ends too: %s",
  async (where) => {
    const wire = await openFaultProxy(databaseTarget(url));
    const through = openDatabase(databaseThrough(url, wire.port), { log: testLog, silenceMs: 100 });
    await through.query("select 1");
    const lose = () => {
      wire.swallow("back");
      wire.heal();
    };
    if (where.startsWith("set")) lose();
    const held = through.session(async ({ db }) => {
      if (where.startsWith("in")) lose();
      const answer = await sql`select 1`.execute(db);
      lose();
      return answer;
    });
    await expect(held).rejects.toThrow(/Connection terminated|not queryable/);
    expect(await through.query("select 1")).toMatchObject({ rowCount: 1 });
    await through.close();
    await wire.close();
  },
);

test("F5 a session without any way to the database ends too", async () => {
  const wire = await openFaultProxy(databaseTarget(url));
  const through = openDatabase(databaseThrough(url, wire.port), { log: testLog, silenceMs: 100 });
  const held = through.session(({ db }) => {
    wire.refuse();
    wire.swallow("there", "back");
    return sql`select 1`.execute(db);
  });
  await expect(held).rejects.toThrow(/Connection terminated|not queryable/);
  await through.close();
  await wire.close();
});

test("a statement that is merely slow is waited for, and a session for as long as it takes", async () => {
  const through = openDatabase(url, { log: testLog, silenceMs: 100 });
  const slow = await through.query("select 'there' as answer from pg_sleep(1)");
  expect(slow.rows).toEqual([{ answer: "there" }]);
  const rows = await through.session(async ({ db }) => {
    await sql`begin`.execute(db);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return (await sql`select 'there' as answer from pg_sleep(0.5)`.execute(db)).rows;
  });
  expect(rows).toEqual([{ answer: "there" }]);
  await through.close();
});

/** Later connections get too_many_connections. */
function openFullServer() {
  const target = databaseTarget(url);
  const fields = ["SFATAL", "C53300", "Msorry, too many clients already", ""]
    .map((text) => `${text}\0`)
    .join("");
  const full = Buffer.concat([Buffer.from("E\0\0\0\0"), Buffer.from(fields)]);
  full.writeUInt32BE(full.length - 1, 1);
  return openServer((near, nth) => {
    if (nth > 1) return void near.once("data", () => near.end(full));
    const far = net.connect("path" in target ? { path: target.path } : target);
    near.pipe(far).pipe(near);
  });
}

test("a session with a slow statement is waited for though the server refuses further connections", async () => {
  const server = await openFullServer();
  const through = openDatabase(databaseThrough(url, server.port), { log: testLog, silenceMs: 100 });
  const rows = await through.session(
    async ({ db }) => (await sql`select 'there' as answer from pg_sleep(2)`.execute(db)).rows,
  );
  expect(rows).toEqual([{ answer: "there" }]);
  await through.close();
  await server.close();
});

test("a session with a slow statement is waited for while the server is briefly unreachable", async () => {
  const wire = await openFaultProxy(databaseTarget(url));
  const through = openDatabase(databaseThrough(url, wire.port), { log: testLog, silenceMs: 200 });
  const rows = await through.session(async ({ db }) => {
    await sql`select 1`.execute(db);
    wire.refuse();
    setTimeout(() => wire.heal(), 600);
    return (await sql`select 'there' as answer from pg_sleep(2)`.execute(db)).rows;
  });
  expect(rows).toEqual([{ answer: "there" }]);
  await through.close();
  await wire.close();
});

test("connections that were opened while the database only let read write again once it lets write", async () => {
  const one = openDatabase(url, { log: testLog, max: 1 });
  onTestFinished(() => one.close());
  const { rows } = await database.query<{ name: string }>("select current_database() as name");
  const name = sql.ref(rows[0]?.name ?? "");
  const readOnly = "cannot execute UPDATE in a read-only transaction";
  const ways = [
    () => sql`update setting set value = value`.execute(one.db),
    () => one.db.transaction().execute((tx) => sql`update setting set value = value`.execute(tx)),
    () => one.prepared("write", "update setting set value = value", []),
  ];
  await sql`alter database ${name} set default_transaction_read_only = on`.execute(db);
  try {
    for (const write of ways) await expect(write()).rejects.toThrow(readOnly);
  } finally {
    await sql`alter database ${name} reset default_transaction_read_only`.execute(db);
  }
  for (const write of ways) await write();
});
