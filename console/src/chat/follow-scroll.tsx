import { useEffect, useRef, type ReactNode } from 'react';

/** Distance from the end within which the view counts as at the end, px. */
const NEAR_PX = 80;

/** Scrolls to the end while the content grows, unless the reader has scrolled up. */
export function FollowScroll({ mark, children }: { mark: unknown; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) current.scrollTop = current.scrollHeight;
    });
    if (current.firstElementChild) observer.observe(current.firstElementChild);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [mark]);
  return (
    <div
      className="chat-scroll"
      ref={box}
      tabIndex={0}
      role="log"
      aria-label="Conversation"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      }}
    >
      <div className="conversation">{children}</div>
    </div>
  );
}
