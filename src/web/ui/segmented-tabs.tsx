import * as Tabs from "@radix-ui/react-tabs";
import { clsx } from "clsx";
import type { ReactNode } from "react";
import layoutStyles from "./layout.module.css";
import styles from "./segmented-tabs.module.css";

type Tab<V extends string> = {
  value: V;
  label: string;
  content: ReactNode;
  kept?: boolean;
};

type Props<V extends string> = {
  label: string;
  tabs: readonly Tab<V>[];
  value: V;
  onChange: (value: V) => void;
};

export function SegmentedTabs<V extends string>({ label, tabs, value, onChange }: Props<V>) {
  return (
    <Tabs.Root value={value} onValueChange={(next) => onChange(next as V)} className={layoutStyles.stack5}>
      <Tabs.List className={clsx(styles.seg, styles.full)} aria-label={label}>
        {tabs.map((tab) => (
          <Tabs.Trigger key={tab.value} value={tab.value}>
            {tab.label}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Content
          key={tab.value}
          value={tab.value}
          className={styles.panel}
          {...(tab.kept ? { forceMount: true } : {})}
        >
          {tab.content}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
