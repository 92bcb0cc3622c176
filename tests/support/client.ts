export type Client = <T>(method: string, path: string, body?: unknown) => Promise<T>;

export type ClientOptions = { origin?: string; cookie?: { value: string } };

/** Keeps the session cookie. A `Uint8Array` is sent as it is (files), everything else as JSON. */
export function clientOf(url: string, { origin = url, cookie = { value: "" } }: ClientOptions = {}): Client {
  return async <T>(method: string, path: string, body?: unknown) => {
    const raw = body instanceof Uint8Array;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        origin,
        cookie: cookie.value,
        "content-type": raw ? "application/octet-stream" : "application/json",
      },
      ...(body === undefined ? {} : { body: raw ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    const setCookie = response.headers.get("set-cookie");
    if (setCookie) cookie.value = setCookie.split(";")[0] ?? "";
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? null : JSON.parse(text)) as T;
  };
}
