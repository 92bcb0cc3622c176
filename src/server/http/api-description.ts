import { setImmediate } from "node:timers/promises";
import type { Language } from "../../contract/accounts.ts";
import type { EndpointSpec } from "../../contract/endpoint.ts";
import { type Asset, makeAsset } from "./asset.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./openapi.ts";

type About = { version: string; sessionCookie: string };

type Made = { document: Asset; page: Asset };

/**
 * Built once per language: per request it blocked the event loop for 80 to 200 ms, so strangers could stop
 * the sending.
 */
export class ApiDescription {
  readonly #endpoints: readonly EndpointSpec[];
  readonly #about: About;
  readonly #made = new Map<Language, Promise<Made>>();

  constructor(endpoints: readonly EndpointSpec[], about: About) {
    this.#endpoints = endpoints;
    this.#about = about;
  }

  async document(language: Language): Promise<Asset> {
    return (await this.#of(language)).document;
  }

  async page(language: Language): Promise<Asset> {
    return (await this.#of(language)).page;
  }

  #of(language: Language): Promise<Made> {
    const known = this.#made.get(language);
    if (known) return known;
    const made = this.#make(language);
    this.#made.set(language, made);
    return made;
  }

  async #make(language: Language): Promise<Made> {
    const described = await openApiDocument(this.#endpoints, { ...this.#about, language });
    const document = makeAsset(Buffer.from(JSON.stringify(described)), "application/json", "no-store");
    await setImmediate();
    const html = Buffer.from(await docsPage(described, language));
    return { document, page: makeAsset(html, "text/html; charset=utf-8", "no-store") };
  }
}
