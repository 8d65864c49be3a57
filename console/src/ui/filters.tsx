// The filters above every list.
import { useState, type InputHTMLAttributes, type ReactNode } from 'react';

export const Filters = ({ children }: { children: ReactNode }) => (
  <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
    {children}
  </form>
);

type FilterProps = { label: string; value: string | undefined; onCommit(value: string): void };

export const SelectFilter = ({ label, value = '', onCommit, children }: FilterProps & { children: ReactNode }) => (
  <label className="field">
    {label}
    <select className="input" value={value} onChange={({ target }) => onCommit(target.value)}>
      <option value="">Any</option>
      {children}
    </select>
  </label>
);

type TextFilterProps = FilterProps &
  Pick<InputHTMLAttributes<HTMLInputElement>, 'type' | 'placeholder'> & {
    /** True if it applies each character. */
    isLive?: boolean;
  };

/** Applies its text when it is complete: at Enter, or when it loses the focus. */
export function TextFilter({ label, value = '', onCommit, isLive = false, ...more }: TextFilterProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  const commit = () => {
    if (text.trim() !== value) onCommit(text.trim());
  };
  return (
    <label className="field">
      {label}
      <input
        className="input"
        placeholder="Any"
        {...more}
        value={text}
        maxLength={200}
        onChange={({ target }) => (isLive ? onCommit(target.value) : setText(target.value))}
        onBlur={commit}
        onKeyDown={({ key }) => key === 'Enter' && commit()}
      />
    </label>
  );
}
