// A transcript with its publisher, without a run.
import type { Chunk, Release, RunAction } from '@millrace/contracts';
import {
  getNextPlace,
  listBuffered,
  openTranscript,
  reduceTranscript,
  type Transcript,
  type TranscriptEvent,
} from '../transcript/transcript.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { publishedChunks, type PublishedChunks } from './published-chunks.ts';
import { RUN_ID } from './run-states.ts';

export const retract = (index: number): Chunk[] => [makeChunk(RUN_ID, { type: 'retract', payload: { index } })];

/** @param published by the owners before this one */
export const reduceInTest = (release: Release, published: PublishedChunks = publishedChunks()) =>
  driveTranscript(openTranscript(release, published.getNextIndex()), published);

type DrivenTranscript = {
  published: PublishedChunks;
  dispatch(event: TranscriptEvent): readonly RunAction[];
  append(chunks: readonly Chunk[]): readonly RunAction[];
  withdraw(from: number): readonly RunAction[];
  settle(from: number): readonly RunAction[];
  release(): readonly RunAction[];
  restore(chunks: readonly Chunk[]): readonly RunAction[];
  record(from?: number): readonly RunAction[];
  getNextPlace(): number;
  listBuffered(): Chunk[];
  fork(): DrivenTranscript;
};

function driveTranscript(from: Transcript, published: PublishedChunks): DrivenTranscript {
  let transcript = from;
  const dispatch = (event: TranscriptEvent): readonly RunAction[] => {
    const step = reduceTranscript(transcript, event);
    transcript = step.transcript;
    published.publish(step.publish);
    return step.actions;
  };
  return {
    published,
    dispatch,
    append: (chunks: readonly Chunk[]) => dispatch({ type: 'appended', chunks }),
    withdraw: (from: number) => dispatch({ type: 'withdrawn', from, report: retract(from) }),
    settle: (from: number) => dispatch({ type: 'settled', from }),
    release: () => dispatch({ type: 'released' }),
    restore: (chunks: readonly Chunk[]) => dispatch({ type: 'restored', chunks }),
    record: (from = 1) => dispatch({ type: 'recorded', from }),
    getNextPlace: () => getNextPlace(transcript),
    listBuffered: () => listBuffered(transcript, 0),
    /** Returns another continuation of the same state. */
    fork: (): DrivenTranscript => driveTranscript(transcript, publishedChunks()),
  };
}
