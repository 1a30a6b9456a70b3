/**
 * The modules of paying, which are fetched together when an amount is chosen. Receipt and toasts are among them, so that
 * nobody pays who could not be told the outcome.
 */
import '../ui/later/toaster.tsx';
import { continuePayment } from './continue-payment.ts';
import { PayingSteps } from './paying-steps.tsx';
import { leavePayment } from './payment-entries.ts';
import { pay, proceed } from './proceed.ts';
import { findReceipt, recallReceipt } from './recall-receipt.ts';
import { SuccessStep } from './success-step.tsx';

export const paying = {
  PayingSteps,
  proceed,
  pay,
  continuePayment,
  leavePayment,
  recallReceipt,
  findReceipt,
  SuccessStep,
};
