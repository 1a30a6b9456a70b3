/** Asks an operator to prove the second factor again. */
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/later/dialog.tsx';

interface FactorQuestionProps {
  readonly onProved: () => void;
  readonly onClose: () => void;
}

export function FactorQuestion({ onProved, onClose }: FactorQuestionProps) {
  return (
    <Dialog title="Show that it is still you" size="question" onClose={onClose}>
      <Button onClick={onProved}>Go On</Button>
    </Dialog>
  );
}
