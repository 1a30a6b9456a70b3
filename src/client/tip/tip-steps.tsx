/** The steps of the tip flow. */
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { verifySession } from '../calls.ts';
import { Loading } from '../ui/states.tsx';
import type { Provider } from './provider.ts';
import { Recall } from './recall.tsx';
import { SelectAmountStep } from './select-amount-step.tsx';
import { fetchPaying, useTipFlow } from './use-tip-flow.ts';

const PayingSteps = lazy(() => fetchPaying().then(({ PayingSteps }) => ({ default: PayingSteps })));

interface TipStepsProps {
  readonly provider: Provider;
  /** Stands in the place of the amounts while the code takes no tips. */
  readonly paused: ReactNode;
}

export function TipSteps({ provider, paused }: TipStepsProps) {
  const { flow, dispatch, proceed, pay, changeAmount } = useTipFlow(provider);

  /** How many later steps were shown: the first step takes the focus when somebody returns to it, not at the beginning. */
  const stepsSeen = useRef(0);
  useEffect(() => {
    stepsSeen.current += flow.step === 'select-amount' ? 0 : 1;
  }, [flow.step]);

  switch (flow.step) {
    case 'select-amount':
      if (provider.isPaused) return paused;
      return (
        <SelectAmountStep
          provider={provider}
          flow={flow}
          dispatch={dispatch}
          onProceed={proceed}
          takesFocus={stepsSeen.current > 0}
        />
      );
    case 'recall':
      return (
        <Recall
          hasFailed={flow.hasFailed}
          onRetry={() => {
            const { transactionId } = flow;
            void verifySession().then(() => dispatch({ type: 'recall', transactionId }));
          }}
        />
      );
    default:
      return (
        <Suspense fallback={<Loading />}>
          <PayingSteps
            flow={flow}
            provider={provider}
            onPay={() => void pay()}
            onChangeAmount={changeAmount}
            onAnother={() => dispatch({ type: 'another' })}
          />
        </Suspense>
      );
  }
}
