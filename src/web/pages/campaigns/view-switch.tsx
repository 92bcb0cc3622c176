import { clsx } from "clsx";
import { LayoutGrid, List } from "lucide-react";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { Icon } from "../../ui/icon.tsx";
import segmentedTabsStyles from "../../ui/segmented-tabs.module.css";
import styles from "./campaigns.module.css";
import { VIEWS, type View } from "./use-view.ts";

const ICONS = { cards: LayoutGrid, list: List };

export function ViewSwitch({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  return (
    <fieldset className={clsx(segmentedTabsStyles.seg, styles.campsView)} aria-label={t.view}>
      {VIEWS.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={view === each}
          data-state={view === each ? "active" : "inactive"}
          onClick={() => onChange(each)}
        >
          <Icon of={ICONS[each]} />
          {t.views[each]}
        </button>
      ))}
    </fieldset>
  );
}
