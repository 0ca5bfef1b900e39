-- What runs learnt of the vocabularies of models, by provider and model, as JSON.
ALTER TABLE chats ADD COLUMN tokens_per_byte TEXT;
