/** Fetched together when an amount is chosen, with the receipt: nobody pays who could not be told the outcome. */
import { lazy } from 'react';
import { clearToasts } from '../toasts.ts';
import { PaymentStep } from './payment-step.tsx';
import { payWithAccount } from './proceed.ts';
import type { Provider } from './provider.ts';
import { fetchReturned } from './recall-receipt.ts';
import { SuccessStep } from './success-step.tsx';
import type { TipEvent, TipFlow } from './tip-flow.ts';
import '../ui/later/toaster.tsx';
// Nobody comes to a payment without what sends it, which a new version may have replaced.
import '../api-client/api.ts';
import { leavePayment } from './payment-entries.ts';
import { continuePayment, forgetTip, pay, proceed } from './proceed.ts';
import { findReceipt, recallReceipt } from './recall-receipt.ts';

export const paying = {
  PayingSteps,
  proceed,
  pay,
  continuePayment,
  forgetTip,
  leavePayment,
  recallReceipt,
  findReceipt,
  SuccessStep,
};

const WaitingStep = lazy(() => fetchReturned().then(({ WaitingStep }) => ({ default: WaitingStep })));

interface PayingStepsProps {
  readonly flow: Extract<TipFlow, { step: 'payment' | 'success' | 'waiting' }>;
  readonly provider: Provider;
  readonly onPay: () => void;
  readonly onChangeAmount: () => void;
  readonly dispatch: (event: TipEvent) => void;
}

function PayingSteps({ flow, provider, onPay, onChangeAmount, dispatch }: PayingStepsProps) {
  switch (flow.step) {
    case 'payment':
      return (
        <PaymentStep
          flow={flow}
          provider={provider}
          onPay={onPay}
          onChangeAmount={onChangeAmount}
          onLogIn={() => void payWithAccount(provider, flow.choice)}
          dispatch={dispatch}
        />
      );
    case 'success':
      return (
        <SuccessStep
          receipt={flow.receipt}
          provider={provider}
          onAnother={() => {
            clearToasts();
            dispatch({ type: 'another' });
          }}
        />
      );
    case 'waiting':
      return <WaitingStep payment={flow} provider={provider} dispatch={dispatch} />;
  }
}
