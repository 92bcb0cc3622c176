import { InfiniteQueryObserver, QueryClient, type QueryKey, QueryObserver } from "@tanstack/react-query";
import { expect, onTestFinished, test, vi } from "vitest";
import { listenToEvents } from "./events.ts";
import { invalidateQuery } from "./invalidate.ts";

function slowServer() {
  const answers: (() => void)[] = [];
  const aborted: number[] = [];
  const ask = ({ signal }: { signal: AbortSignal }) =>
    new Promise<number>((resolve, reject) => {
      const number = answers.length + 1;
      answers.push(() => resolve(number));
      signal.addEventListener("abort", () => {
        aborted.push(number);
        reject(signal.reason);
      });
    });
  const asked = (count: number) => vi.waitFor(() => expect(answers).toHaveLength(count), 60_000);
  return { ask, asked, aborted, answer: (number: number) => answers[number - 1]?.() };
}

function readInPages(queries: QueryClient, queryKey: QueryKey, ask: ReturnType<typeof slowServer>["ask"]) {
  const list = new InfiniteQueryObserver(queries, {
    queryKey,
    queryFn: ask,
    initialPageParam: 0,
    getNextPageParam: (last: number) => last,
  });
  const stop = list.subscribe(() => undefined);
  const pages = (...expected: number[]) =>
    vi.waitFor(() => expect(list.getCurrentResult().data?.pages).toEqual(expected), 60_000);
  return { list, pages, stop };
}

test("an answer in flight arrives despite repeated invalidations, then one refetch follows", async () => {
  const queries = new QueryClient();
  const { ask, asked, aborted, answer } = slowServer();
  const shown = new QueryObserver(queries, { queryKey: ["campaigns", "list"], queryFn: ask });
  const stop = shown.subscribe(() => undefined);
  const received = (number: number) =>
    vi.waitFor(() => expect(shown.getCurrentResult().data).toBe(number), 60_000);

  // A change during the first fetch may be missing in its answer.
  invalidateQuery(queries, ["campaigns"]);
  answer(1);
  await received(1);
  await asked(2);
  for (let change = 0; change < 3; change++) invalidateQuery(queries, ["campaigns"]);
  answer(2);
  await received(2);
  await asked(3);
  answer(3);
  await received(3);
  await vi.waitFor(() => expect(queries.isFetching()).toBe(0), 60_000);
  await asked(3);
  expect(aborted).toEqual([]);
  stop();
});

test("a requested next page arrives although something changes in between", async () => {
  const queries = new QueryClient();
  const { ask, asked, aborted, answer } = slowServer();
  const { list, pages, stop } = readInPages(queries, ["contacts", "lists"], ask);
  answer(1);
  await pages(1);
  void list.fetchNextPage();
  await asked(2);
  invalidateQuery(queries, ["contacts"]);
  answer(2);
  await pages(1, 2);
  await asked(3);
  answer(3);
  await asked(4);
  answer(4);
  await pages(3, 4);
  expect(aborted).toEqual([]);
  stop();
});

test("a next page that replaces a refetch does not lose the change", async () => {
  const queries = new QueryClient();
  const { ask, asked, answer } = slowServer();
  const { list, pages, stop } = readInPages(queries, ["deliveries", 1], ask);
  answer(1);
  await pages(1);
  invalidateQuery(queries, ["deliveries"]);
  await asked(2);
  invalidateQuery(queries, ["deliveries"]);
  void list.fetchNextPage();
  await asked(3);
  answer(3);
  await pages(1, 3);
  await asked(4);
  answer(4);
  await asked(5);
  answer(5);
  await pages(4, 5);
  stop();
});

class Stream extends EventTarget {
  static readonly opened: Stream[] = [];
  readonly readyState = 0;
  onopen = () => {};
  onerror = () => {};
  constructor() {
    super();
    Stream.opened.push(this);
  }
  close() {}
}

test("a requested next page arrives although the stream reconnects, then all is refetched", async () => {
  vi.stubGlobal("window", {});
  vi.stubGlobal("EventSource", Stream);
  onTestFinished(() => void vi.unstubAllGlobals());
  const queries = new QueryClient();
  const { ask, asked, aborted, answer } = slowServer();
  const { list, pages, stop } = readInPages(queries, ["contacts", "lists"], ask);
  onTestFinished(listenToEvents(queries));
  const [stream] = Stream.opened;
  // What was requested before the stream opened is requested once more.
  stream?.onopen();
  answer(1);
  await asked(2);
  answer(2);
  await pages(2);
  stream?.onerror();
  void list.fetchNextPage();
  await asked(3);
  stream?.onopen();
  answer(3);
  await pages(2, 3);
  await asked(4);
  answer(4);
  await asked(5);
  expect(aborted).toEqual([]);
  answer(5);
  stop();
});
