/** The skeleton of the Insights tab while its numbers load. */
import { Loading, Skeleton } from '../../ui/states.tsx';

export function InsightsSketch() {
  return (
    <Loading text="Loading insights...">
      <Skeleton height="tall" />
      <Skeleton height="tall" />
    </Loading>
  );
}
