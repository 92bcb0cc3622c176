import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Changes } from "../changes.ts";
import type { Db } from "../db/client.ts";
import type { Jobs } from "../jobs/boss.ts";
import type { PrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import type { Secrets } from "../secrets.ts";
import { openUndo } from "../undo.ts";
import { answerPlaces } from "./answer-places.ts";
import { answering } from "./answering.ts";
import { answersService } from "./answers.ts";
import { type AnswerJob, type AnswerTimes, assistantOfChats } from "./assistant.ts";
import type { ChatReader } from "./conversation.ts";
import { linkService } from "./links.ts";
import { openMistral } from "./mistral-client.ts";
import { agentService } from "./service.ts";
import { mistralSettings, type SettingsDeps } from "./settings.ts";

export type Agents = Awaited<ReturnType<typeof openAgents>>;

type Deps = {
  db: Db;
  secrets: Pick<Secrets, "seal" | "open">;
  clock: Clock;
  log: Logger;
  changes: Pick<Changes, "mark">;
  jobs: Pick<Jobs, "queue">;
  privateHosts: PrivateHosts;
  operator: SettingsDeps["operator"];
  times: AnswerTimes;
};

/** All accounts share Mistral's one origin: slow answers of some must not hold every connection to it. */
const CONNECTIONS = 64;
/** Answers that a process thinks about at once; of one account; and of all accounts whose answers take long. */
const ANSWERS = 12;
const OF_ACCOUNT = 6;
const OF_SLOW = 6;
/** After this a process that does not say that it still works on an answer is held for dead. */
const SILENCE_S = 10;

/** Everything about agents, built together. */
export async function openAgents(deps: Deps) {
  const { db, secrets, clock, log, changes, jobs, privateHosts, operator, times } = deps;
  const guardedFetch = openGuardedFetch({ privateHosts, connections: CONNECTIONS });
  const mistral = openMistral({ guardedFetch, clock });
  const settings = mistralSettings({ secrets, operator, mistral, changes });
  const agents = agentService({ settings, changes });
  const links = linkService({ agents, changes, undo: openUndo({ secrets, clock }) });
  const answers = answersService({ clock });
  let closed = false;
  const takePlace = answerPlaces({ ...times, ofAccount: OF_ACCOUNT, ofSlow: OF_SLOW }, clock);
  const queue = await jobs.queue<AnswerJob>({
    ...{ name: "assistant", workers: ANSWERS, silenceSeconds: SILENCE_S, pollMs: times.poll },
  });

  return {
    ...{ settings, agents, links, answers },
    /** What the chats are given: they tell of messages and ask who answers. */
    forChats: assistantOfChats({ db, queue, times, answers }),
    /** Answers in these chats from now on. */
    answerIn: (chats: ChatReader) =>
      queue.work(
        answering({
          ...{ db, clock, log, changes, chats, settings, queue, times, takePlace },
          closing: () => closed,
        }),
      ),
    /** Breaks off what is still being thought about. */
    close: () => {
      closed = true;
      return guardedFetch.close();
    },
  };
}
