-- A project of Lovable: its migrations, one after the other.
CREATE TYPE public.app_role AS ENUM ('admin', 'member');

CREATE TABLE public.profiles (
  id UUID NOT NULL REFERENCES auth.users(id) ON DELETE CASCADE PRIMARY KEY,
  display_name TEXT,
  avatar_url TEXT,
  created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
  updated_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now()
);
ALTER TABLE public.profiles ENABLE ROW LEVEL SECURITY;
CREATE POLICY "Profiles are viewable by everyone" ON public.profiles FOR SELECT USING (true);
CREATE POLICY "Users can insert their own profile" ON public.profiles FOR INSERT WITH CHECK (auth.uid() = id);
CREATE POLICY "Users can update own profile" ON public.profiles FOR UPDATE USING (auth.uid() = id);

CREATE TABLE IF NOT EXISTS public.todos (
  id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id UUID NOT NULL REFERENCES auth.users(id) ON DELETE CASCADE,
  title VARCHAR(200) NOT NULL,
  "dueDate" DATE,
  done BOOLEAN NOT NULL DEFAULT false,
  priority INTEGER DEFAULT 0 CHECK (priority >= 0),
  price NUMERIC(10,2),
  tags TEXT[] DEFAULT '{}',
  meta JSONB NOT NULL DEFAULT '{}'::jsonb,
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'it''s done')),
  place POINT,
  search TSVECTOR GENERATED ALWAYS AS (to_tsvector('english', title)) STORED,
  created_at TIMESTAMPTZ DEFAULT now()
);
ALTER TABLE public.todos ENABLE ROW LEVEL SECURITY;
CREATE POLICY "own todos" ON public.todos FOR ALL TO authenticated
  USING ((SELECT auth.uid()) = user_id) WITH CHECK ((SELECT auth.uid()) = user_id);
CREATE POLICY "admins read" ON public.todos FOR SELECT USING (public.has_role(auth.uid(), 'admin'));
CREATE INDEX idx_todos_user ON public.todos(user_id);
CREATE UNIQUE INDEX todos_title ON public.todos USING btree (user_id, title);

CREATE TABLE public.user_roles (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  user_id uuid REFERENCES auth.users(id) NOT NULL,
  role app_role NOT NULL,
  todo uuid,
  UNIQUE (user_id, role)
);
ALTER TABLE public.user_roles ADD CONSTRAINT user_roles_todo FOREIGN KEY (todo) REFERENCES public.todos(id) ON DELETE SET NULL;
ALTER TABLE public.user_roles ADD COLUMN IF NOT EXISTS note text, DROP COLUMN IF EXISTS nothing;

/* Functions /* and what they hold */ are left out; */
CREATE OR REPLACE FUNCTION public.touch() RETURNS TRIGGER AS $$
BEGIN
  NEW.updated_at = now(); -- CREATE TABLE not_one (id int);
  RETURN NEW;
END;
$$ LANGUAGE plpgsql SET search_path = public;
CREATE TRIGGER touch_profiles BEFORE UPDATE ON public.profiles FOR EACH ROW EXECUTE FUNCTION public.touch();
CREATE VIEW public.open_todos AS SELECT * FROM public.todos WHERE NOT done;
INSERT INTO storage.buckets (id, name, public) VALUES ('avatars', 'avatars', true);
