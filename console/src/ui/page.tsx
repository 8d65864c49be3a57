import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

type PageProps = { title: ReactNode; about?: ReactNode; crumb?: ReactNode; actions?: ReactNode; children: ReactNode };

/** The head and the content of a page. */
export function Page({ title, about, crumb, actions, children }: PageProps) {
  return (
    <div className="page">
      <header className="page-head">
        <div>
          {crumb && (
            <div className="crumb">
              {crumb}
              <ChevronRight size={13} aria-hidden />
            </div>
          )}
          <h1>{title}</h1>
          {about && <p>{about}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
