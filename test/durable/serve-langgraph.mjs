// LangGraph.js with its SQLite checkpointer: the thread's state holds the messages, and a checkpoint follows each node.
// MODEL_URL, DIRECTORY.
import { join } from 'node:path';
import { HumanMessage, AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { ChatOpenAI } from '@langchain/openai';
import { numberedFetch, passInput, passPiece, servePeer } from './conversation.mjs';

const { MODEL_URL, DIRECTORY = '' } = process.env;
const KEPT_MESSAGES = 10;

const model = new ChatOpenAI({
  model: 'stand-in',
  apiKey: 'stand-in',
  streaming: true,
  streamUsage: false,
  configuration: { baseURL: MODEL_URL, fetch: numberedFetch },
});

const graph = new StateGraph(MessagesAnnotation)
  .addNode('input', async ({ messages }) => {
    await passInput(messages);
    return {};
  })
  .addNode('model', async ({ messages }, { writer }) => {
    let text = '';
    for await (const { content } of await model.stream(messages.slice(-KEPT_MESSAGES))) {
      if (content === '') continue;
      const piece = await passPiece(content);
      text += piece;
      writer?.(piece);
    }
    return { messages: [new AIMessage(text)] };
  })
  .addEdge(START, 'input')
  .addEdge('input', 'model')
  .addEdge('model', END)
  .compile({ checkpointer: SqliteSaver.fromConnString(join(DIRECTORY, 'langgraph.db')) });

servePeer(async (thread, input, show) => {
  const config = { configurable: { thread_id: thread }, streamMode: 'custom' };
  for await (const piece of await graph.stream({ messages: [new HumanMessage(input)] }, config)) show(piece);
});
