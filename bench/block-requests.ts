/** A request meant to block the process, as raw HTTP. */
export type BlockRequest = { name: string; head: string[]; body: string };

const MB = 1_000_000;

export function blockRequests(cookie: string): BlockRequest[] {
  const get = (name: string, path: string, ...headers: string[]) => ({
    name,
    head: [`GET ${path} HTTP/1.1`, ...headers],
    body: "",
  });
  const post = (name: string, path: string, body: string) => ({
    name,
    head: [`POST ${path} HTTP/1.1`, "Content-Type: application/json", `Cookie: ${cookie}`],
    body,
  });
  return [...bodies(post), ...heads(get, cookie)];
}

const keys = (n: number, letters: number) =>
  `{${Array.from({ length: n }, (_, at) => `"${"k".repeat(letters)}${at}":1`).join(",")}}`;

function bodies(post: (name: string, path: string, body: string) => BlockRequest): BlockRequest[] {
  const test = "/api/mistral/agents/x/test";
  return [
    post("9,900 unknown keys", test, keys(9_900, 5)),
    post("9,900 unknown keys of 90 letters", test, keys(9_900, 90)),
    post("1 MB of keys", test, keys(80_000, 5)),
    post("19,900 wrong items", test, `{"messages":[${"0,".repeat(19_900)}0]}`),
    post("2,400 wrong objects", test, `{"messages":[${"{},".repeat(2_200)}0]}`),
    post("a hundred items with wrong fields", test, `{"messages":[${`{"a":1,"b":2},`.repeat(99)}{}]}`),
    post("1 MB of text", test, `{"messages":"${"a".repeat(MB)}"}`),
    post("1 MB of escapes", test, `{"messages":"${"\\u00e9".repeat(MB / 6)}"}`),
    post("1 MB of emoji", test, `{"messages":"${"😀".repeat(MB / 4)}"}`),
    post("2,400 lists in each other", test, "[".repeat(2_400) + "]".repeat(2_400)),
    post("1 MB of opened lists", test, "[".repeat(MB)),
    post("1,000 objects in each other", test, `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`),
    post("a campaign of braces", "/api/campaigns", JSON.stringify({ name: "a", text: "{".repeat(60_000) })),
    post("an address of @", "/api/login", JSON.stringify({ email: "a@".repeat(7_000), password: "x" })),
    post("a long password", "/api/login", JSON.stringify({ email: "a@b.co", password: "p".repeat(15_000) })),
  ];
}

function heads(
  get: (name: string, path: string, ...headers: string[]) => BlockRequest,
  cookie: string,
): BlockRequest[] {
  const many = (n: number, text: (at: number) => string) => Array.from({ length: n }, (_, at) => text(at));
  const signedIn = `Cookie: ${cookie}`;
  return [
    get("the description", "/api/openapi.json"),
    get("the documentation", "/api/docs"),
    get("the documentation in English", "/api/docs", "Accept-Language: en"),
    get("the documentation, compressed", "/api/docs", "Accept-Encoding: gzip"),
    get("1,500 parameters", `/api/search?${many(1_500, (at) => `a${at}=1`).join("&")}`, signedIn),
    get("a search of 200 letters", `/api/search?q=${"a".repeat(200)}`, signedIn),
    get("9,000 cookies", "/api/search?q=a", `Cookie: ${many(9_000, (at) => `c${at}=12345`).join("; ")}`),
    get("a cookie of 100 kB", "/api/search?q=a", `Cookie: ${cookie.split("=")[0]}=${"%25".repeat(33_000)}`),
    get("a key of 100 kB", "/api/search?q=a", `Authorization: Bearer ${"a.".repeat(50_000)}`),
    get("8,000 languages", "/api/docs", `Accept-Language: ${"en-US;q=0.5,".repeat(8_000)}`),
    get("20,000 etags", "/api/docs", `If-None-Match: ${'"a", '.repeat(20_000)}`),
    get("an unknown address of 8 kB", `/api/${"a/".repeat(4_000)}`),
    get("an unknown word of 8 kB", `/api/${"a".repeat(8_000)}`),
  ];
}
