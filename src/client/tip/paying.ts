/**
 * What is fetched once an amount is chosen, all of it together: nobody pays who could not be shown the receipt, or told in a
 * toast why there is none.
 */
import '../ui/toaster.tsx';
import { openAttempt, unsettledAttempt } from './attempt.ts';
import { PayingSteps } from './paying-steps.tsx';
import { sendTip } from './send-tip.ts';

export const paying = { PayingSteps, openAttempt, unsettledAttempt, sendTip };
