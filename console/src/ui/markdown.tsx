// Text of a model as markdown. HTML in it is shown as text, links open outside without a referrer, and images are
// links: the page loads nothing that a model names.
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { escapeMasks, markMasks } from './masks.ts';

const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener nofollow">
      {children}
    </a>
  ),
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer noopener nofollow">
      {alt || 'image'}
    </a>
  ),
  mark: ({ children }) => (
    <mark className="mask" title="A processor masked this passage">
      {children}
    </mark>
  ),
  table: ({ children }) => (
    <div className="table-wrap">
      <table className="table">{children}</table>
    </div>
  ),
  pre: ({ children }) => (
    <pre className="code" tabIndex={0}>
      {children}
    </pre>
  ),
};
const REMARK = [remarkGfm];
const REHYPE = [markMasks];

export const Markdown = ({ text }: { text: string }) => (
  <div className="prose">
    <ReactMarkdown components={COMPONENTS} remarkPlugins={REMARK} rehypePlugins={REHYPE}>
      {escapeMasks(text)}
    </ReactMarkdown>
  </div>
);
