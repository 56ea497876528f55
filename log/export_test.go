package log

var (
	Encode         = Watermark.encode
	ParseWatermark = parseWatermark
)
