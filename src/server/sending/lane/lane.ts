import { DELIVERY } from "../../../domain/delivery.ts";
import { failpoint } from "../../base/failpoint.ts";
import type { LeftOut } from "../ledger/signals.ts";
import { type TurnAnswer, type TurnRequest, takeTurn } from "../ledger/turn.ts";
import { finishOutbox } from "../outbox/outbox.ts";
import { laneStops } from "./backoff.ts";
import { laneRoom } from "./batch-size.ts";
import { type LaneCampaign, lookForWork, sinceLastClaim } from "./campaign-states.ts";
import { type DeliverDeps, type Delivered, deliver, notYet, wentOut } from "./deliver.ts";
import type { Lane, LaneDeps } from "./lane-deps.ts";
import { reportLaneError } from "./lane-error.ts";
import { onceARound } from "./once-a-round.ts";
import { laneOutcomes } from "./outcome-buffer.ts";
import { claimSingles, type Item, isFor, lowestSeq, parcelOf, peopleItems, whenLeft } from "./outgoing.ts";
import { type LanePace, lanePace } from "./pace.ts";
import { recipientBreaker } from "./recipient-breaker.ts";
import { laneSources } from "./scheduler.ts";
import { laneSignal } from "./wakeup.ts";
import { wireMarks } from "./wire-marks.ts";

/** Fallback look without notification: a lost one only delays. */
const LOOK_AGAIN_MS = 5_000;

/** Runs one connection's paced queue until closed or ownership is lost, in `transport.slots` slots. */
export function runLane(deps: LaneDeps): Lane {
  const { db, transport, clock, times, log, connectionId, fence, figures } = deps;
  const outcomes = laneOutcomes(clock, fence);
  const sources = laneSources(clock, times.poll);
  const unpaced = laneRoom(transport, clock, times.flush, outcomes);
  const stops = laneStops(deps);
  const signal = laneSignal(deps.after);
  const blame = recipientBreaker(transport, deps.mayAct, deps.ownPhone ?? (() => null));
  const queue: Item[] = [];
  const flying = new Map<Item, Promise<void>>();
  const leavers = new Map<string, LeftOut>();
  /** A notification of an opt-out may have been lost since. */
  let missed = false;
  // Only where people claimed but not sent at a crash are sent later, not left to a human.
  const early = transport.takesOurIds ? deps.resendsDoubts : deps.accepted !== undefined;
  let pace: LanePace = lanePace(clock, deps.random, null);
  let campaigns: LaneCampaign[] = [];
  /** Changes notified and known: campaigns are outdated while they differ. */
  let notified = 1;
  let known = 0;
  let outboxHint = false;
  let singlesServed = false;
  let overtook = 0;
  let lookedAt = clock.monotonic();
  let coldWaits = false;
  let closing = false;
  let over = false;
  let callOff: (() => void) | null = null;

  const deliverDeps: DeliverDeps = {
    transport,
    clock,
    times,
    resendsDoubts: deps.resendsDoubts,
    mayAct: deps.mayAct,
    usesSlot: (single) => pace.leaves(campaigns, single),
  };
  const parcelDeps = {
    ...{ db, transport, connectionId, statement: deps.prepared, messageKey: deps.messageKey },
    ...{ book: deps.book ?? null, hidden: deps.hidden ?? (async () => false) },
    marks: deps.accepted ? wireMarks(db, deps.prepared, fence) : null,
    sends: (campaignId: number) => campaigns.some(({ id }) => id === campaignId),
  };
  const unsubscribe = transport.onReady(() => {
    stops.back();
    signal.give();
  });
  const running = loop();

  async function loop(): Promise<void> {
    try {
      pace = lanePace(clock, deps.random, await sinceLastClaim(db, connectionId), early);
      while (!over && !(closing && isDone() && outcomes.size() === 0)) {
        const acted = await step();
        dispatch();
        if (!acted && !over) await nextSignal();
      }
    } catch (error) {
      reportLaneError(log, connectionId, error);
      end("database");
    } finally {
      unsubscribe();
      stops.end();
      callOff?.();
    }
  }

  function end(reason: "lost" | "database"): void {
    if (over) return;
    over = true;
    signal.give();
    deps.ended(reason);
  }

  function idle(): boolean {
    return closing || !transport.ready() || !deps.mayAct() || stops.waits();
  }

  async function step(): Promise<boolean> {
    if (clock.monotonic() >= lookAt()) lookAgain();
    if (known < notified && !closing) {
      const now = notified;
      const { campaigns: found, singles } = await lookForWork(deps.prepared, connectionId);
      campaigns = deps.caughtUp?.() === false ? [] : found;
      outboxHint ||= singles;
      known = now;
      dropStopped();
      // Claimed at full speed before a paced campaign joined the lane: they wait for their turn.
      if (pace.on(campaigns) && queue.length > 1) giveBack((item) => item.kind === "person");
      return true;
    }
    if (idle()) {
      giveBack(() => true);
      return flush();
    }
    followRestriction();
    if (wantsSingles() && !singlesServed) return claimFromOutbox();
    singlesServed = false;
    const want = room();
    const claim = want > 0 ? nextClaim() : null;
    const late = outcomes.next(times.flush);
    if (claim && (!late || late.id === claim.campaign.id))
      return turn(claim.campaign, claim.from === "doubt" ? 1 : want, claim.from);
    if (late || mustFlush()) return flush();
    return wantsSingles();
  }

  function followRestriction(): void {
    const now = (transport.coldWaitsUntil?.() ?? null) !== null;
    if (now && !coldWaits) giveBack((item) => item.kind === "person");
    coldWaits = now;
  }

  const nextClaim = () => sources.next(campaigns, pace.claimIn(campaigns) <= 0, doubtsAllowed(), coldWaits);

  /** After `slots` direct messages a due campaign person comes first, or a backlog would block campaigns. */
  const wantsSingles = () =>
    outboxHint && roomForOutbox() > 0 && (overtook < transport.slots || !peopleDue());

  function peopleDue(): boolean {
    const last = queue.at(-1);
    return last?.kind === "person" ? pace.leavesIn(campaigns, last) <= 0 : nextClaim() !== null;
  }

  // Without our id a second attempt is a second message: such doubts wait to be found (reconcile.ts).
  const doubtsAllowed = () => transport.takesOurIds && transport.readyFor() >= times.doubt;

  function room(): number {
    if (pace.on(campaigns)) return isDone() ? 1 : 0;
    return unpaced.free(queue.length, flying.size);
  }

  function roomForOutbox(): number {
    if (queue[0]?.kind === "outbox") return 0;
    return transport.takesOurIds ? transport.slots : transport.slots - flying.size - queue.length;
  }

  async function claimFromOutbox(): Promise<boolean> {
    singlesServed = true;
    // Reset before the query: messages stored later notify again.
    outboxHint = false;
    const allowed = { doubts: doubtsAllowed(), coldWaits };
    const first = await claimSingles(parcelDeps, { connectionId, fence }, roomForOutbox(), allowed);
    if (!first) end("lost");
    else {
      outboxHint ||= first.length > 0;
      overtook += first.length;
      queue.unshift(...first);
    }
    return true;
  }

  async function turn(
    campaign: { id: number; accountId: string },
    want: number,
    from: TurnRequest["from"],
  ): Promise<boolean> {
    leavers.clear();
    missed = false;
    const finished = outcomes.takeFor(campaign.id);
    const last = isDone() && !campaigns.some((one) => one.fresh || one.waiting);
    if (last && finished.length > 0) failpoint("before_end");
    const lowestInFlightSeq = lowestSeq(campaign.id, flying.keys(), queue);
    if (finished.length > 0) failpoint("before_record");
    try {
      const warmFrom = sources.warmFrom(campaign.id);
      const selection = { campaignId: campaign.id, want, from, coldWaits, warmFrom };
      const request = { connectionId, fence, finished, lowestInFlightSeq, ...selection };
      const answer = await takeTurn(deps.prepared, request);
      if (!answer) {
        outcomes.failed(campaign.id, finished);
        end("lost");
        return true;
      }
      outcomes.recorded(finished);
      if (finished.length > 0) failpoint("after_record");
      if (answer.claimed.length > 0) failpoint("claim_committed");
      const over = answer.status !== "sending";
      if (finished.length > 0 || over) deps.changed(campaign.accountId, campaign.id, over);
      await take(campaign.id, answer);
      if (from === "warm") sources.searched(campaign.id, answer.warmNext ?? null);
      if (answer.claimed.length > 0) sources.served(campaign.id, from);
      else if (want > 0 && from !== "warm") sources.empty(campaign.id, from, selection.coldWaits);
    } catch (error) {
      outcomes.failed(campaign.id, finished);
      throw error;
    }
    return true;
  }

  async function take(campaignId: number, answer: TurnAnswer): Promise<void> {
    const campaign = campaigns.find((one) => one.id === campaignId);
    if (!campaign) return;
    campaign.fresh = answer.cursor < answer.total;
    campaign.waiting = answer.waiting > 0;
    if (answer.status !== "sending") {
      campaigns = campaigns.filter((one) => one !== campaign);
      dropStopped();
    }
    if (answer.claimed.length === 0) return;
    const items = await peopleItems(parcelDeps, campaign, answer.claimed);
    queue.push(...blame.suspectsLast(items));
    for (const leaver of leavers) dropLeaver(...leaver);
    putAside(
      (item) => item.kind === "person" && item.unread,
      () => notYet(times),
    );
    if (missed) giveBack((item) => item.kind === "person");
  }

  function dispatch(): void {
    followRestriction();
    // Nothing leaves while a notified change is unknown: it may be a pause.
    while (!over && known === notified && queue[0] && flying.size < transport.slots && !idle()) {
      const wait = pace.leavesIn(campaigns, queue[0]);
      if (wait > 0) {
        callOff?.();
        callOff = deps.after(wait, dispatch);
        return;
      }
      const item = queue.shift();
      if (item?.kind === "person") overtook = 0;
      if (item) flying.set(item, fly(item));
    }
  }

  const landed = onceARound(() => {
    dispatch();
    // With shared commits a completed send need not wake the loop.
    if (idle() || mustFlush() || room() > 0 || outboxHint) signal.give();
  });

  async function fly(item: Item): Promise<void> {
    const begun = clock.monotonic();
    try {
      const delivered = await deliver(deliverDeps, parcelOf(parcelDeps, item));
      // Avoids awaits: at thousands a second each promise counts.
      const { result, stop } = delivered.stop
        ? await blame.judged(item, delivered.result, delivered.stop)
        : delivered;
      // Unsent returns are no attempts: an offline channel would count the same people repeatedly.
      if (!stop && (result.to !== "waiting" || result.attempts > 0))
        figures?.attempted(figures.kind, result.to, clock.monotonic() - begun);
      if (wentOut(result)) failpoint("acknowledged");
      unpaced.one();
      if (!stop) blame.cleared(item, result);
      else if (stop.cause !== "new_conversation") stops.stopped(stop);
      if (!stop && wentOut(result)) stops.reached();
      const kept = keep(item, result);
      if (kept) await kept;
    } catch (error) {
      reportLaneError(log, connectionId, error);
      end("database");
    }
    flying.delete(item);
    landed();
  }

  function keep(item: Item, result: Delivered): Promise<void> | null {
    if (item.kind === "outbox" || (wentOut(result) && deps.accepted)) return store(item, result);
    note(item, result);
    return null;
  }

  function note({ campaign, person: { seq } }: Extract<Item, { kind: "person" }>, result: Delivered): void {
    outcomes.add(
      campaign.id,
      campaign.accountId,
      wentOut(result) ? { seq, to: result.to, at: result.at } : { ...result, seq },
    );
    if (outcomes.size() === 1) signal.give();
  }

  async function store(item: Item, result: Delivered): Promise<void> {
    if (wentOut(result) && deps.accepted) await deps.accepted.store(item, result);
    if (item.kind === "person") {
      note(item, result);
      return;
    }
    const detail = wentOut(result) ? { error: null, attempts: 1, ambiguous: false, delayMs: 0 } : result;
    await finishOutbox(db, fence, item.message.id, { ...detail, status: DELIVERY[result.to], at: result.at });
    outboxHint = true;
    // An earlier query would not claim it, and the next look may be 5 s away.
    if (detail.delayMs > 0 && !detail.ambiguous) deps.after(detail.delayMs, single);
  }

  function single(): void {
    outboxHint = true;
    signal.give();
  }

  const isDone = () => queue.length === 0 && flying.size === 0;
  const mustFlush = () => outcomes.size() > 0 && (isDone() || pace.on(campaigns) || unpaced.mustRecord());

  async function flush(): Promise<boolean> {
    const campaign = outcomes.next();
    return campaign ? turn(campaign, 0, "cursor") : false;
  }

  /** A pause takes effect at once: people of stopped campaigns go back. */
  const dropStopped = () => giveBack((item) => item.kind === "person" && !parcelDeps.sends(item.campaign.id));

  const giveBack = (which: (item: Item) => boolean) =>
    putAside(which, () => ({ to: "waiting", error: null }));

  const dropLeaver = (phone: string, why: LeftOut) => putAside((item) => isFor(item, phone), whenLeft(why));

  function putAside(
    which: (item: Item) => boolean,
    as: (item: Item) => { to: "waiting" | "skipped" | "uncertain"; error: string | null; delayMs?: number },
  ): void {
    const unsent = { at: clock.now().getTime(), attempts: 0, ambiguous: false, delayMs: 0 };
    for (const item of queue.splice(0)) {
      if (which(item)) keep(item, { ...unsent, ...as(item) })?.catch(() => end("database"));
      else queue.push(item);
    }
  }

  const nextSignal = () => signal.wait(Math.max(1, Math.min(nextAt(), lookAt()) - clock.monotonic()));

  function nextAt(): number {
    const now = clock.monotonic();
    let at = outcomes.size() > 0 ? now - outcomes.age() + unpaced.shareMs : Number.POSITIVE_INFINITY;
    if (stops.waits()) return Math.min(at, stops.until());
    if (idle() || room() === 0) return at;
    const claimIn = pace.claimIn(campaigns);
    if (claimIn > 0) at = Math.min(at, now + claimIn);
    if (campaigns.some((one) => one.waiting)) {
      at = Math.min(at, sources.pollAt(campaigns, claimIn <= 0, doubtsAllowed()), now + times.poll);
    }
    return at;
  }

  // Nothing leaves before a look is answered.
  const lookAt = () => pace.clearOf(campaigns, lookedAt + LOOK_AGAIN_MS);

  function lookAgain(): void {
    notified += 1;
    lookedAt = clock.monotonic();
  }

  return {
    wake() {
      lookAgain();
      signal.give();
    },
    single,
    leave(phone, why) {
      leavers.set(phone, why);
      for (const item of flying.keys()) if (isFor(item, phone)) item.left = why;
      dropLeaver(phone, why);
      signal.give();
    },
    missed() {
      missed = true;
      for (const item of flying.keys()) if (item.kind === "person") item.missed = true;
      giveBack((item) => item.kind === "person");
      lookAgain();
      signal.give();
    },
    async close(ms) {
      closing = true;
      signal.give();
      const enough = Promise.withResolvers<void>();
      const timer = setTimeout(enough.resolve, ms);
      await Promise.race([running.then(() => Promise.all(flying.values())), enough.promise]);
      clearTimeout(timer);
      over = true;
      giveBack(() => true);
      signal.give();
      const unstored = deps.accepted?.unstored() ?? [];
      return unstored.length > 0 ? [...outcomes.proven(), { accepted: unstored }] : outcomes.proven();
    },
  };
}
