import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Database } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { attemptLimit, type Limit } from "../db/rate-limit.ts";
import type { Secrets } from "../db/secrets.ts";
import { openUndo } from "../db/undo.ts";
import type { FairQueues } from "../jobs/fair-queue.ts";
import type { JobsRole } from "../jobs/role.ts";
import type { PrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { AnswerQueue } from "./answer-queue.ts";
import { answering } from "./answering.ts";
import { answersService } from "./answers.ts";
import { type AnswerTimes, assistantOfChats } from "./assistant.ts";
import type { ChatReader } from "./conversation.ts";
import { LinkService } from "./links.ts";
import { openMistral } from "./mistral-client.ts";
import { AgentService } from "./service.ts";
import { MistralSettingsService, type SettingsDeps } from "./settings.ts";
import { SlowAccounts } from "./slow-accounts.ts";

export type Agents = Awaited<ReturnType<typeof openAgents>>;

type Deps = {
  database: Database;
  secrets: Pick<Secrets, "seal" | "open">;
  clock: Clock;
  log: Logger;
  changes: Pick<Changes, "mark">;
  queues: FairQueues;
  role: JobsRole;
  privateHosts: PrivateHosts;
  operator: SettingsDeps["operator"];
  times: AnswerTimes;
};

/** Slow answers of some accounts must not use every connection. */
const CONNECTIONS = 64;
/** Per account, as keys may be shared. */
const TESTS: Limit = { attempts: 20, seconds: 60 };
const CHANGES: Limit = { attempts: 30, seconds: 60 };
/** Afterwards other processes take over. */
const FINISH_MS = 10_000;

export async function openAgents(deps: Deps) {
  const { database, secrets, clock, log, changes, queues, role, privateHosts, operator, times } = deps;
  const { db } = database;
  const guardedFetch = openGuardedFetch({ privateHosts, connections: CONNECTIONS });
  const mistral = openMistral({ guardedFetch, clock });
  const settings = new MistralSettingsService({ secrets, operator, mistral, changes });
  const agents = new AgentService({
    settings,
    changes,
    limitTests: attemptLimit(database, "agent-test", TESTS),
    limitChanges: attemptLimit(database, "agent-change", CHANGES),
  });
  const links = new LinkService({ agents, changes, undo: openUndo({ secrets, clock }) });
  const answers = answersService({ clock });
  let closed = false;
  const slow = new SlowAccounts(times, clock);
  const queue = new AnswerQueue({ db, clock, log, role, queues, slow, pollMs: times.poll });

  return {
    settings,
    agents,
    links,
    answers,
    forChats: assistantOfChats({ db, queue, times, answers }),
    answerIn: (chats: ChatReader) =>
      queue.work(
        answering({
          db,
          clock,
          log,
          changes,
          chats,
          settings,
          queue,
          times,
          closing: () => closed,
        }),
      ),
    finish: async () => {
      const ended = new AbortController();
      const late = setTimeout(FINISH_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      await Promise.race([queue.close(), late]);
      ended.abort();
    },
    close: async () => {
      closed = true;
      await guardedFetch.close();
      await queue.close();
    },
  };
}
