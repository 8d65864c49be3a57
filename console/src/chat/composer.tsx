import { ArrowUp, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';

type ComposerProps = {
  isBusy: boolean;
  onSend(text: string): void;
  /** Absent: no run can be stopped now. */
  onStop?: (() => void) | undefined;
  placeholder?: string;
};

const MAX_HEIGHT_PX = 200;

/** Returns whether the keyboard has moved the focus to an element: the page may load after that. */
const hasKeyboardFocus = (): boolean => document.activeElement?.matches(':focus-visible') ?? false;

/** Enter sends, Shift and Enter begins a line. */
export function Composer({ isBusy, onSend, onStop, placeholder = 'Message' }: ComposerProps) {
  const [text, setText] = useState('');
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const { current } = area;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${Math.min(current.scrollHeight, MAX_HEIGHT_PX)}px`;
  }, [text]);
  useEffect(() => {
    if (!isBusy && !hasKeyboardFocus()) area.current?.focus();
  }, [isBusy]);
  const send = () => {
    const trimmed = text.trim();
    if (trimmed === '' || isBusy) return;
    setText('');
    onSend(trimmed);
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="composer-box">
        <textarea
          ref={area}
          rows={1}
          aria-label="Message"
          placeholder={placeholder}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        {isBusy && onStop ? (
          <Button icon aria-label="Stop" title="Cancel the run" onClick={onStop}>
            <Square size={13} fill="currentColor" />
          </Button>
        ) : (
          <Button type="submit" variant="primary" icon aria-label="Send" disabled={text.trim() === '' || isBusy}>
            <ArrowUp size={17} />
          </Button>
        )}
      </div>
    </form>
  );
}
