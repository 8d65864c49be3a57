import { splitMasks } from '../ui/masks.ts';

/** The words of the user, as text. */
export const UserText = ({ text }: { text: string }) => (
  <article className="user" aria-label="Your message">
    <p>
      {splitMasks(text).map((part, at) =>
        part.isMask ? (
          <mark key={at} className="mask">
            {part.text}
          </mark>
        ) : (
          part.text
        ),
      )}
    </p>
  </article>
);
