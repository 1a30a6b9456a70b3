import { PaymentStep } from './payment-step.tsx';
import type { Provider } from './provider.ts';
import { SuccessStep } from './success-step.tsx';
import type { TipFlow } from './tip-flow.ts';

interface PayingStepsProps {
  readonly flow: Extract<TipFlow, { step: 'payment' | 'success' }>;
  readonly provider: Provider;
  readonly onPay: () => void;
  readonly onChangeAmount: () => void;
  readonly onAnother: () => void;
}

export function PayingSteps({ flow, provider, onPay, onChangeAmount, onAnother }: PayingStepsProps) {
  switch (flow.step) {
    case 'payment':
      return <PaymentStep flow={flow} provider={provider} onPay={onPay} onChangeAmount={onChangeAmount} />;
    case 'success':
      return <SuccessStep receipt={flow.receipt} provider={provider} onAnother={onAnother} />;
  }
}
