import { lazy, type ReactNode, useEffect, useRef } from 'react';
import { verifySession } from '../calls.ts';
import { Later } from '../ui/boundary.tsx';
import { NotShown } from '../ui/failed-screen.tsx';
import { Loading, Skeleton } from '../ui/states.tsx';
import type { LateProps } from './late.tsx';
import type { Provider } from './provider.ts';
import { SelectAmountStep } from './select-amount-step.tsx';
import { fetchPaying, useTipFlow } from './use-tip-flow.ts';

const PayingSteps = lazy(() => fetchPaying().then(({ PayingSteps }) => ({ default: PayingSteps })));

export type LateScreen = (why: LateProps['why'], onRetry?: () => void) => ReactNode;

interface TipStepsProps {
  readonly provider: Provider;
  readonly late: LateScreen;
}

export function TipSteps({ provider, late }: TipStepsProps) {
  const { flow, dispatch, isProceeding, proceed, pay, changeAmount } = useTipFlow(provider);

  /** The first step takes the focus when somebody returns to it, not at the beginning. */
  const stepsSeen = useRef(0);
  useEffect(() => {
    stepsSeen.current += flow.step === 'select-amount' ? 0 : 1;
  }, [flow.step]);

  switch (flow.step) {
    case 'select-amount': {
      const closed = provider.closed ?? (flow.interruption === 'paused' && flow.interruption);
      return closed ? (
        late(closed)
      ) : (
        <SelectAmountStep
          provider={provider}
          flow={flow}
          dispatch={dispatch}
          onProceed={proceed}
          isProceeding={isProceeding}
          takesFocus={stepsSeen.current > 0}
        />
      );
    }
    case 'recall': {
      const loading = (
        <Loading text="Loading your receipt...">
          <Skeleton height="tall" />
        </Loading>
      );
      // A boundary further up would hide these steps meanwhile, and they would ask for the receipt once more.
      return (
        <Later meanwhile={loading} otherwise={<NotShown />}>
          {flow.hasFailed
            ? late('no-receipt', () => {
                const { transactionId } = flow;
                void verifySession().then(() => dispatch({ type: 'recall', transactionId }));
              })
            : loading}
        </Later>
      );
    }
    default:
      return (
        <Later meanwhile={<Loading />} otherwise={<NotShown />}>
          <PayingSteps
            flow={flow}
            provider={provider}
            onPay={() => void pay()}
            onChangeAmount={changeAmount}
            dispatch={dispatch}
          />
        </Later>
      );
  }
}
