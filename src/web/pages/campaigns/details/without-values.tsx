import { clsx } from "clsx";
import type { Campaign } from "../../../../contract/campaigns.ts";
import { markOf } from "../../../../domain/variables.ts";
import { detailsText as t } from "../../../messages/details.ts";
import layoutStyles from "../../../ui/layout.module.css";
import textStyles from "../../../ui/text.module.css";
import styles from "./details.module.css";

const scrolling = { tabIndex: 0 };

export function WithoutValues({ variables }: Pick<Campaign, "variables">) {
  if (variables.length === 0) return null;
  return (
    <section
      className={clsx(layoutStyles.ringInside, textStyles.quiet, styles.withoutValues)}
      aria-label={t.withoutValues}
      {...scrolling}
    >
      <ul>
        {variables.map(({ key, fallback }) => (
          <li key={key}>{fallback === null ? t.leftOut(markOf(key)) : t.instead(markOf(key), fallback)}</li>
        ))}
      </ul>
    </section>
  );
}
