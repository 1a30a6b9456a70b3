import { dashboardTab } from '../../paths.ts';

/** What a link needs that clears the filters: it goes with them, and reading goes on in the panel around it. */
export const clearingLink = {
  href: dashboardTab('transactions'),
  onClick: () =>
    document.activeElement?.closest<HTMLElement>('[role="tabpanel"]')?.focus({ preventScroll: true }),
};
