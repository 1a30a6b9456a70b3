import { Screen } from './screen.tsx';
import { Problem } from './states.tsx';

/** Replaces a screen that could not be fetched or drawn. */
export function FailedScreen() {
  return (
    <Screen title="Something went wrong">
      <NotShown isScreen />
    </Screen>
  );
}

/** A reload may help, whatever could not be fetched or drawn. */
export function NotShown({ isScreen = false }: { readonly isScreen?: boolean }) {
  return (
    <Problem
      isScreen={isScreen}
      title="This page could not be shown"
      onRetry={() => window.location.reload()}
    >
      <p>Check your connection and try again. The same tip is never charged twice.</p>
    </Problem>
  );
}
