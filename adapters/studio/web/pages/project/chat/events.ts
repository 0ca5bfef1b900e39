// The events of a chat, as GET /chat/:projectId/messages and the streams send them.

/** Attachment describes an image of a message. It does not hold the data. */
export interface Attachment {
  type: 'image';
  id: string;
  mediaType: string;
  size: number;
}

/** Reference is what a message is about: a file, or an element of the page. */
export interface Reference {
  type: 'file' | 'element';
  path: string;
  /** tag, line and column are an element's. */
  tag?: string;
  line?: number;
  column?: number;
}

/** ModelFailure is the reason why a model failed; empty if unknown. */
/** Step is what a run does between two answers of the model. */
export type Step = 'build' | 'look' | 'checks' | 'mend';

export type ModelFailure =
  | ''
  | 'key_refused'
  | 'no_credit'
  | 'rate_limited'
  | 'no_model'
  | 'provider_failed'
  | 'unreachable';

/** Retry is a failed model call, or a failure of the service, and the time of the next attempt. */
export interface Retry {
  cause: ModelFailure | 'service_failed';
  at: string;
}

/** Reason is why a run ended well; asked means that the agent waits for an answer. */
export type Reason = 'done' | 'stopped' | 'limit' | 'asked';

/** Question is what the agent asks. A choice is an answer, and so is any other text. */
export interface Question {
  text: string;
  choices: string[];
}

/** ApprovalRequest is a call of another program's tool that waits for a person's yes. */
export interface ApprovalRequest {
  /** id is that of the tool.call. */
  id: string;
  connector: string;
  tool: string;
  args: unknown;
  reason: 'consent' | 'outside_text';
}

interface Place {
  /** seq numbers the events of a chat from 1, without gaps. */
  seq: number;
  createdAt: string;
}

export type ChatEvent = Place &
  (
    | {
        type: 'user.message';
        text: string;
        attachments: Attachment[] | null;
        by: string;
        command?: string;
        references?: Reference[];
        approval?: { id: string; allow: boolean };
      }
    | { type: 'assistant.message_delta'; delta: string }
    | { type: 'assistant.reasoning_delta'; delta: string }
    | { type: 'tool.call'; id: string; tool: string; args: unknown }
    | { type: 'tool.result'; id: string; result: string; frames?: Attachment[] }
    | { type: 'tool.error'; id: string; error: string; frames?: Attachment[] }
    | { type: 'assistant.message'; text: string }
    | {
        type: 'session.usage_info';
        inputTokens: number;
        cachedTokens?: number;
        outputTokens: number;
        cost: number;
        retry?: Retry;
      }
    | { type: 'session.compaction_start' }
    | { type: 'session.compaction_complete'; tokensBefore: number; tokensAfter: number }
    | { type: 'file.changed'; path: string; action: string }
    | { type: 'version.created'; versionId: string; filesChanged: number }
    | { type: 'check.result'; name: string; title: string; passed: boolean; message?: string; picture?: Attachment }
    | ({ type: 'approval.request' } & ApprovalRequest)
    | { type: 'session.step'; step: Step; faults?: number }
    | { type: 'session.notice'; code: string; text: string }
    | { type: 'session.task_complete'; reason: Reason; question?: Question; changed?: number }
    | { type: 'session.error'; error: string; message: string; cause?: ModelFailure; retryAt?: string }
  );

/** ends reports whether an event is the last of its run. */
export function ends(event: ChatEvent): boolean {
  return event.type === 'session.task_complete' || event.type === 'session.error';
}
