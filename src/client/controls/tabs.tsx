/**
 * Arrow keys move the focus, and Enter, Space or a tap opens a tab (WAI-ARIA Authoring Practices, "Tabs with manual
 * activation"). Each tab is a link, so that it works before the script loads.
 */
import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import styles from './tabs.module.css';

interface TabsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly tabs: readonly {
    readonly value: Value;
    readonly href: string;
    readonly label: string;
    readonly panel: ReactNode;
  }[];
  /** True makes Back skip the tab that was open before. */
  readonly replacesHistory?: boolean;
  readonly isLocked?: boolean;
}

export function Tabs<Value extends string>(props: TabsProps<Value>) {
  const { label, value, tabs, replacesHistory = false, isLocked = false } = props;
  const id = useId();
  const panel = tabs.find((tab) => tab.value === value)?.panel;
  return (
    <div className={styles.tabs}>
      <div role="tablist" aria-label={label} className={styles.list} onKeyDown={handleKey}>
        {tabs.map((tab) => {
          const isOpen = tab.value === value;
          return (
            <Link
              key={tab.value}
              href={tab.href}
              replace={replacesHistory}
              role="tab"
              id={`${id}-${tab.value}`}
              aria-selected={isOpen}
              aria-controls={isOpen ? `${id}-panel` : undefined}
              // The Tab key reaches only the open tab, and from there its panel.
              tabIndex={isOpen ? 0 : -1}
              className={styles.tab}
              onClick={(event) => {
                if (isOpen || isLocked) event.preventDefault();
              }}
            >
              {tab.label}
            </Link>
          );
        })}
      </div>
      {/* The key makes every tab draw a panel of its own. */}
      <div
        key={value}
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${value}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel may hold nothing that takes the focus, and must be in reach of the keyboard all the same
        tabIndex={0}
        className={styles.panel}
      >
        {panel}
      </div>
    </div>
  );
}

function handleKey(event: KeyboardEvent<HTMLElement>): void {
  const tabs = [...event.currentTarget.querySelectorAll('a')];
  const present = tabs.findIndex((tab) => tab.matches(':focus'));
  if (event.key === ' ') {
    event.preventDefault();
    tabs[present]?.click();
    return;
  }
  const next = new Map([
    ['ArrowRight', (present + 1) % tabs.length],
    ['ArrowLeft', (present - 1 + tabs.length) % tabs.length],
    ['Home', 0],
    ['End', tabs.length - 1],
  ]).get(event.key);
  if (next === undefined) return;
  event.preventDefault();
  tabs[next]?.focus();
}
