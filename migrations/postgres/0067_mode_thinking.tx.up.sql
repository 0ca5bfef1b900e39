-- How much the model of a mode thinks; NULL leaves it to the model.
ALTER TABLE modes ADD COLUMN thinking text;
