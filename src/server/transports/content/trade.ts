import { type Line, lines, listAt, offsetAmount, thousandths, written } from "./lines.ts";
import { readNumber, textAt, valueAt } from "./own-values.ts";
import type { Said } from "./said.ts";

/** A product and the person's question about it. */
export function readProduct(message: unknown): Said {
  const question = textAt(message, "body");
  const product = productLine(valueAt(message, "product"));
  const catalog = textAt(message, "catalog", "title");
  const about = [product, catalog, textAt(message, "footer"), webAddress(textAt(message, "product", "url"))];
  if (question === null) return { kind: "product", text: lines(...about) };
  return { kind: "text", text: written(question, ...about) };
}

function productLine(product: unknown): Line {
  const sale = valueAt(product, "salePriceAmount1000");
  const currency = textAt(product, "currencyCode");
  const price = thousandths(sale, currency) ?? thousandths(valueAt(product, "priceAmount1000"), currency);
  return [textAt(product, "title"), price].filter(Boolean).join(" · ");
}

export const quotedProduct = (message: unknown): Line =>
  productLine(valueAt(message, "contextInfo", "quotedMessage", "productMessage", "product"));

export function readOrder(order: unknown): Said {
  const count = readNumber(valueAt(order, "itemCount"));
  const items = count !== null && count > 0 && (count === 1 ? "1 item" : `${count} itens`);
  const total = thousandths(valueAt(order, "totalAmount1000"), textAt(order, "totalCurrencyCode"));
  const sum = [items, total].filter(Boolean).join(" · ");
  return { kind: "order", text: lines(textAt(order, "message"), textAt(order, "orderTitle"), sum) };
}

export function readPaymentRequest(request: unknown): Said {
  const amount = valueAt(request, "amount");
  const currency = textAt(amount, "currencyCode") ?? textAt(request, "currencyCodeIso4217");
  const total = offsetAmount(amount, currency) ?? thousandths(valueAt(request, "amount1000"), currency);
  return { kind: "payment", text: lines(noteOf(request), total) };
}

export const readPayment = (payment: unknown): Said => ({
  kind: "payment",
  text: lines(noteOf(payment), textAt(payment, "note")),
});

const noteOf = (payment: unknown): Line =>
  textAt(payment, "noteMessage", "extendedTextMessage", "text") ??
  textAt(payment, "noteMessage", "conversation");

/** Items, total and Pix key of `payment_info` and `review_and_pay`; empty for other buttons. */
export function paymentLines(params: unknown): Line[] {
  const currency = textAt(params, "currency");
  const items = listAt(params, "order", "items").map((item) => {
    const quantity = readNumber(valueAt(item, "quantity")) ?? 1;
    return [`${quantity} × ${textAt(item, "name") ?? ""}`, offsetAmount(valueAt(item, "amount"), currency)]
      .filter(Boolean)
      .join(" · ");
  });
  return [
    ...items,
    offsetAmount(valueAt(params, "total_amount"), currency),
    ...listAt(params, "payment_settings").flatMap(settingLines),
  ];
}

function settingLines(setting: unknown): Line[] {
  const pix = valueAt(setting, "pix_static_code") ?? valueAt(setting, "pix_dynamic_code");
  const key = textAt(pix, "key");
  return [
    textAt(pix, "merchant_name"),
    key && `Chave Pix: ${key}`,
    textAt(pix, "code"),
    webAddress(textAt(setting, "payment_link", "uri")),
  ];
}

export const webAddress = (text: string | null): Line => text && /^https?:\/\//i.test(text) && text;
